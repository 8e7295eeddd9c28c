import type { Plan } from '../contracts/plan.ts';
import type { Json } from '../kernel/json.ts';
import { decideWaiting } from './decide-approval.ts';
import type { Decision } from './effects.ts';
import { findWidening } from './plan-reach.ts';
import type { RunState } from './state.ts';
import { widenedProblem } from './widened-problem.ts';

/**
 * What is owed before a replan that reaches further than the plans before may be accepted: the question to a person, its end
 * while nobody answers, or the refusal. `accepted` where nothing is.
 */
export function decideWidened(
  state: RunState,
  plan: Plan,
  hash: string,
  keyed: { readonly key?: string },
): Decision | 'accepted' | null {
  const { widened = 'allow' } = state.task.policy;
  if (widened === 'allow') return 'accepted';
  const widening = findWidening(state.reach, plan, state.tools);
  const asked = state.planning.widening;
  if (widening === null || (asked?.hash === hash && asked.status === 'approved')) return 'accepted';
  if (widened === 'deny' || asked?.status === 'denied') {
    return { event: { type: 'plan.rejected', ...keyed, problems: [widenedProblem(widening)] } };
  }
  if (asked?.status === 'open') return decideWaiting(state);
  return {
    event: {
      type: 'approval.requested',
      node: questionId(state),
      question: 'plan',
      tool: 'plan',
      args: widening as unknown as Json,
      argsHash: hash,
      plan: state.planHash,
    },
  };
}

/** What the question is answered under; no node of the run has that id. */
function questionId(state: RunState): string {
  let id = `plan-${state.planVersion + 1}`;
  while (state.nodes.has(id)) id += '+';
  return id;
}
