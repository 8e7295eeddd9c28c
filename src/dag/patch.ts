import type { Plan, PlanNode } from '../contracts/plan.ts';

/** A plan that goes on from another one. */
export interface PatchedPlan {
  /** The done nodes in the order of the plan before, then the new ones in theirs. */
  readonly plan: Plan;
  /** Nodes that are done and keep their results: all of them, whether the new plan mentions them or not. */
  readonly kept: readonly string[];
  /** Nodes of the plan before that were not done and that the new plan does not hold. */
  readonly superseded: readonly string[];
}

/**
 * Joins a validated replan to what is done. A kept node that did without an optional dependency no longer names it,
 * so that the merged plan is closed, and acyclic even where that id is used anew.
 */
export function patchPlan(previous: Plan, doneIds: ReadonlySet<string>, next: Plan): PatchedPlan {
  const keptNodes = previous.nodes.filter(({ id }) => doneIds.has(id));
  const newNodes = next.nodes.filter(({ id }) => !doneIds.has(id));
  const keptIds = new Set(keptNodes.map(({ id }) => id));
  const newIds = new Set(newNodes.map(({ id }) => id));
  return {
    plan: {
      nodes: [...keptNodes.map((node) => withoutLostDeps(node, keptIds)), ...newNodes],
      output: next.output,
    },
    kept: [...keptIds],
    superseded: previous.nodes.flatMap(({ id }) => (doneIds.has(id) || newIds.has(id) ? [] : [id])),
  };
}

function withoutLostDeps(node: PlanNode, keptIds: ReadonlySet<string>): PlanNode {
  if (node.deps.every((id) => keptIds.has(id))) return node;
  return { ...node, deps: node.deps.filter((id) => keptIds.has(id)) };
}
