import { type ArgumentPolicy, refusedArguments } from '../contracts/policy/judge-arguments.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { toPointer } from '../kernel/json.ts';
import type { DraftNode } from './plan-shape.ts';
import type { ProblemList } from './problem-list.ts';

/** What policy says of the arguments that stand in a plan. */
export interface PlanPolicy {
  /** Nothing where left out. */
  readonly policy?: ArgumentPolicy;
  /** The folder that paths may be absolute in. */
  readonly workspace?: string;
}

/** Adds the arguments that policy refuses; what a reference will give is looked at before the call. */
export function checkPolicy(
  { args, index, id }: DraftNode,
  tool: ToolSpec | null,
  problems: ProblemList,
  { policy, workspace = '' }: PlanPolicy,
): void {
  if (policy === undefined || tool?.argumentKinds === undefined || args === null) return;
  for (const { argument, reason } of refusedArguments(tool, args, policy, workspace)) {
    const pointer = `/args${toPointer([argument])}`;
    problems.addAt('forbidden_args', index, id, pointer, reason, 'Plan without it.');
  }
}
