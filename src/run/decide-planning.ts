import { available } from '../budget/ledger.ts';
import type { PlanNode } from '../contracts/plan.ts';
import { patchPlan } from '../dag/patch.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import type { Validation, ValidationContext } from '../dag/validate.ts';
import { interpretPlan, interpretPlanAnswer } from '../planner/interpret-plan.ts';
import { decideStopped, finishFailed } from './decide-ending.ts';
import { decideWidened } from './decide-widened.ts';
import { makeCall } from './make-call.ts';
import type { Decision } from './effects.ts';
import type { RunState } from './state.ts';
import { wantPlan } from './wanted-calls.ts';

/** What drawing a plan owes: to look at one, to ask for one, or to end without. */
export function decidePlanning(state: RunState): Decision | null {
  const { planning } = state;
  if (planning.rejected !== null) return finishUnplanned(state);
  const { supplied } = planning;
  if (supplied !== null) return judgePlan(state, (context) => interpretPlan(supplied, context), undefined);
  const call = state.calls.get(`plan/${state.planCalls}`);
  if (call !== undefined) {
    const { answer } = call;
    if (call.status === 'answered' && answer !== null) {
      return judgePlan(state, (context) => interpretPlanAnswer(answer, context), call.id);
    }
    if (call.status === 'running' || call.status === 'due' || call.status === 'refreshing') return null;
  }
  if (state.stop !== null || state.mode === 'stopped') return decideStopped(state);
  return makeCall(state, wantPlan(state, `plan/${state.planCalls + 1}`));
}

function finishUnplanned(state: RunState): Decision {
  const problems = state.planning.rejected ?? [];
  const listed = problems.map(({ code, message }) => `${code}: ${message}`).join('; ');
  const details = { problems: problems as unknown as Json };
  return state.isPlanSupplied
    ? finishFailed(state, 'the supplied plan is invalid', {
        code: 'plan_invalid',
        class: 'PERMANENT',
        message: `the supplied plan is invalid: ${listed}`,
        details,
      })
    : finishFailed(state, 'no valid plan was drawn', {
        code: 'plan_unobtainable',
        class: 'PERMANENT',
        message: `no valid plan in ${state.planning.rounds.length} answers; the last: ${listed}`,
        details,
      });
}

function judgePlan(
  state: RunState,
  interpret: (context: ValidationContext) => Validation,
  key: string | undefined,
): Decision | null {
  const isReplan = state.planning.replan !== null;
  const remaining = available(state.ledger, 'toolCalls');
  const result = interpret({
    tools: state.tools,
    withheld: state.withheld,
    limits: state.task.limits,
    policy: state.task.policy,
    workspace: state.workspace,
    ...(remaining === Infinity ? {} : { remainingToolCalls: remaining }),
    ...(isReplan && state.plan !== null ? { done: doneNodes(state), previous: state.plan } : {}),
  });
  const keyed = key === undefined ? {} : { key };
  if (!result.ok) return { event: { type: 'plan.rejected', ...keyed, problems: result.problems } };
  const done = new Set(doneNodes(state).keys());
  const patched =
    isReplan && state.plan !== null
      ? patchPlan(state.plan, done, result.plan)
      : { plan: result.plan, kept: [], superseded: [] };
  const hash = hashJson(patched.plan as unknown as Json);
  const widened = isReplan ? decideWidened(state, patched.plan, hash, keyed) : 'accepted';
  if (widened !== 'accepted') return widened;
  return {
    event: {
      type: 'plan.accepted',
      ...keyed,
      version: state.planVersion + 1,
      hash,
      plan: patched.plan,
      kept: patched.kept,
      superseded: patched.superseded,
      warnings: result.warnings,
      estimate: result.estimate,
    },
  };
}

function doneNodes(state: RunState): ReadonlyMap<string, { node: PlanNode; value: Json }> {
  const done = new Map<string, { node: PlanNode; value: Json }>();
  for (const node of state.order) {
    if (node.status === 'done' && node.parent === null) {
      done.set(node.id, { node: node.plan, value: node.value ?? null });
    }
  }
  return done;
}
