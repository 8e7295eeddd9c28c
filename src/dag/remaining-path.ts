import type { Plan } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { type Dependencies, topologicalOrder } from './adjacency.ts';

/**
 * For each node, by position, the largest sum of cost hints on a path from it, itself included, to a node on which none depends.
 * Items of a foreach run beside each other and count once.
 */
export function remainingPaths(
  { nodes }: Pick<Plan, 'nodes'>,
  dependencies: Dependencies,
  tools: ReadonlyMap<string, Pick<ToolSpec, 'costHint'>>,
): Float64Array {
  const after = new Float64Array(nodes.length);
  const remaining = new Float64Array(nodes.length);
  for (const index of topologicalOrder(dependencies).toReversed()) {
    const path = (tools.get(nodes[index]?.tool ?? '')?.costHint ?? 0) + (after[index] ?? 0);
    remaining[index] = path;
    for (const dependency of dependencies[index] ?? []) {
      if (path > (after[dependency] ?? 0)) after[dependency] = path;
    }
  }
  return remaining;
}
