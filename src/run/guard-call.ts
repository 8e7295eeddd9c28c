import { type ArgumentForm, judgesArguments } from '../contracts/policy/judge-arguments.ts';
import { type CallJudgement, judgeCall, refusal } from '../contracts/policy/call-marks.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeState } from './node-state.ts';
import { targetsBeyond } from './plan-reach.ts';
import type { RunState } from './state.ts';
import { taintOfArgument } from './taint.ts';

const UNMARKED: CallJudgement = { kind: 'permitted', marks: {} };

/** What policy says of a node's next call. A node that reads and names nothing outside of the run costs nothing. */
export function guardCall(state: RunState, node: NodeState, args: Json): CallJudgement {
  const { policy } = state.task;
  const { tool } = node;
  const isIrreversible = tool.effect === 'irreversible';
  if (tool.argumentKinds === undefined && !isIrreversible) return UNMARKED;
  const watchesTaint = (policy.tainted ?? 'allow') !== 'allow';
  const isPlain = !watchesTaint && !judgesArguments(policy);
  if (isPlain) return judgeReach(state, node, args, UNMARKED);
  const { workspace } = state;
  const judged = judgeCall(
    {
      ...{ tool, args, workspace, ...formOf(state) },
      taintOf: (argument) => taintOfArgument(state, node, argument),
    },
    policy,
  );
  return judgeReach(state, node, args, judged);
}

/** How arguments of calls are looked at, by what the log says of it. */
export function formOf({ targets }: RunState): { readonly form?: ArgumentForm } {
  return targets === undefined ? {} : { form: targets };
}

/** Whatever references come to, a replan reaches no further than the plans before it without being asked about. */
function judgeReach(state: RunState, node: NodeState, args: Json, judged: CallJudgement): CallJudgement {
  const { widened = 'allow' } = state.task.policy;
  const isJudged = state.targets === 'resolved' && state.planVersion > 1 && widened !== 'allow';
  if (!isJudged || judged.kind === 'refused' || node.amendedBy === 'person') return judged;
  const beyond = targetsBeyond(state, node, args);
  const [first] = beyond;
  if (first === undefined) return judged;
  const reasons = beyond.map(({ argument, target }) => ({
    argument,
    reason: `${target} is in no plan before the replan`,
  }));
  if (widened === 'deny')
    return refusal(node.tool.name, first.argument, `policy.widened: ${reasons[0]?.reason ?? ''}`);
  const { marks } = judged;
  return { kind: 'permitted', marks: { ...marks, dangers: [...(marks.dangers ?? []), ...reasons] } };
}
