import { judgesArguments } from '../contracts/policy/judge-arguments.ts';
import { type CallJudgement, judgeCall } from '../contracts/policy/call-marks.ts';
import type { Json } from '../kernel/json.ts';
import type { NodeState } from './node-state.ts';
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
  if (!watchesTaint && !judgesArguments(policy)) return UNMARKED;
  const { workspace } = state;
  return judgeCall(
    { tool, args, workspace, taintOf: (argument) => taintOfArgument(state, node, argument) },
    policy,
  );
}
