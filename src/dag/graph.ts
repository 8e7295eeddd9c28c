import { DirectedGraph } from 'graphology';
import { topologicalGenerations } from 'graphology-dag';
import type { Plan, PlanNode } from '../contracts/plan.ts';
import { findDependencies } from './adjacency.ts';

/** A plan as a graph; edges lead from a dependency to its dependent. */
export type PlanGraph = DirectedGraph<PlanNode>;

/**
 * The graph of a plan for those who draw or explore it. Its keys are positions in the plan, since graphology takes
 * keys such as `__proto__` for more than text; the attributes of a node are the plan's node itself.
 */
export function planGraph(plan: Pick<Plan, 'nodes'>): PlanGraph {
  const graph: PlanGraph = new DirectedGraph<PlanNode>();
  plan.nodes.forEach((node, index) => graph.addNode(String(index), node));
  findDependencies(plan.nodes).forEach((dependencies, index) => {
    for (const dependency of dependencies) graph.addDirectedEdge(String(dependency), String(index));
  });
  return graph;
}

/** The levels of the walk: each holds the nodes whose dependencies all lie in levels before it, in plan order. */
export function planLevels(plan: Pick<Plan, 'nodes'>): readonly (readonly PlanNode[])[] {
  const graph = planGraph(plan);
  return topologicalGenerations(graph).map((level) =>
    level
      .map(Number)
      .sort((a, b) => a - b)
      .map((index) => graph.getNodeAttributes(String(index))),
  );
}
