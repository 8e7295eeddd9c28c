import type { Plan, PlanEstimate } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { Dependencies } from './adjacency.ts';

interface EstimateContext {
  readonly tools: ReadonlyMap<string, Pick<ToolSpec, 'costHint'>>;
  readonly limits: { readonly foreachItems: number };
}

/**
 * What nodes are expected to take, taken in an order in which dependencies come first. A `foreach` counts at its
 * bound, but once on a path, since its items run beside each other.
 */
export function estimatePlan(
  nodes: Plan['nodes'],
  dependencies: Dependencies,
  order: Iterable<number>,
  { tools, limits }: EstimateContext,
): PlanEstimate {
  const levelOf = new Int32Array(nodes.length);
  const pathTo = new Float64Array(nodes.length);
  let [toolCalls, weight, levels, criticalWeight] = [0, 0, 0, 0];
  for (const index of order) {
    const node = nodes[index];
    let [level, path] = [0, 0];
    for (const dependency of dependencies[index] ?? []) {
      level = Math.max(level, levelOf[dependency] ?? 0);
      path = Math.max(path, pathTo[dependency] ?? 0);
    }
    const calls = node?.foreach === undefined ? 1 : limits.foreachItems;
    const costHint = tools.get(node?.tool ?? '')?.costHint ?? 0;
    toolCalls += calls;
    weight += calls * costHint;
    levelOf[index] = ++level;
    pathTo[index] = path += costHint;
    levels = Math.max(levels, level);
    criticalWeight = Math.max(criticalWeight, path);
  }
  return { nodes: nodes.length, toolCalls, weight, levels, criticalWeight };
}
