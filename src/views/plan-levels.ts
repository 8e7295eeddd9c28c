import { findDependencies, topologicalOrder } from '../dag/adjacency.ts';
import type { PlanNode } from '../contracts/plan.ts';

/** The level of each node of a plan: one more than the highest of what it depends on. */
export function levelsOf(nodes: readonly PlanNode[]): Int32Array {
  const dependencies = findDependencies(nodes);
  const levels = new Int32Array(nodes.length);
  for (const index of topologicalOrder(dependencies)) {
    for (const dependency of dependencies[index] ?? []) {
      levels[index] = Math.max(levels[index] ?? 0, (levels[dependency] ?? 0) + 1);
    }
  }
  return levels;
}
