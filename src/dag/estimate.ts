import type { Plan, PlanEstimate } from '../contracts/plan.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import { type Dependencies, findDependencies, topologicalOrder } from './adjacency.ts';

interface EstimateContext {
  readonly tools: ReadonlyMap<string, Pick<ToolSpec, 'costHint'>>;
  readonly limits: { readonly foreachItems: number };
  /** Nodes that have their results and take nothing any more. */
  readonly done?: { has(id: string): boolean };
}

/** What the nodes of a plan that are not done are expected to take; `foreach` counts at its bound. */
export function estimatePlan(plan: Plan, context: EstimateContext): PlanEstimate {
  const { done } = context;
  const nodes = done === undefined ? plan.nodes : plan.nodes.filter(({ id }) => !done.has(id));
  const dependencies = findDependencies(nodes);
  return estimateNodes(nodes, dependencies, topologicalOrder(dependencies), context);
}

/** The same for edges and an order that are known already. */
export function estimateNodes(
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
