import type { Plan } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { findDependencies, topologicalOrder } from './adjacency.ts';

/**
 * For each node the largest sum of cost hints on a path from it, itself included, to a node on which none depends.
 * Items of a foreach run beside each other and count once.
 */
export function remainingPaths(
  plan: Pick<Plan, 'nodes'>,
  tools: ReadonlyMap<string, Pick<ToolSpec, 'costHint'>>,
): Map<string, number> {
  const { nodes } = plan;
  const dependencies = findDependencies(nodes);
  const after = new Float64Array(nodes.length);
  const remaining = new Float64Array(nodes.length);
  for (const index of topologicalOrder(dependencies).toReversed()) {
    const path = (tools.get(nodes[index]?.tool ?? '')?.costHint ?? 0) + (after[index] ?? 0);
    remaining[index] = path;
    for (const dependency of dependencies[index] ?? []) {
      if (path > (after[dependency] ?? 0)) after[dependency] = path;
    }
  }
  return new Map(nodes.map((node, index) => [node.id, remaining[index] ?? 0]));
}
