import type { PlannedFailure } from '../planner/plan-request.ts';
import type { NodeState } from './node-state.ts';

/** What a failed node is remembered by when the plan that it stood in is replaced. */
export function describeFailure(node: NodeState): PlannedFailure {
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
