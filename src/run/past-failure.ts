import type { Json } from '../kernel/json.ts';
import type { NodeState } from './node-state.ts';

/** A failed node as the replanner is told of it: typed, without the text of a tool. */
export interface PastFailure {
  readonly node: string;
  readonly tool: string;
  readonly args: Json;
  readonly code: string;
  readonly class: string;
  readonly details?: Json;
}

/** What a failed node is remembered by when the plan that it stood in is replaced. */
export function describeFailure(node: NodeState): PastFailure {
  const { failure } = node;
  return {
    node: node.id,
    tool: node.tool.name,
    args: node.amendedArgs ?? node.plan.args,
    code: failure?.code ?? 'policy_denied',
    class: failure?.class ?? 'POLICY',
    ...(failure?.details === undefined ? {} : { details: failure.details }),
  };
}
