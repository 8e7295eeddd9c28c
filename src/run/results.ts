import type { Json } from '../kernel/json.ts';
import { hasEnded, type NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** The result of one node, as prompts and checks are given it. */
export interface NodeResult {
  readonly node: string;
  readonly tool: string;
  readonly value: Json;
}

/** The output node of the plan in force; undefined before there is one. */
export function outputNode(state: RunState): NodeState | undefined {
  return state.plan === null ? undefined : state.nodes.get(state.plan.output);
}

/** Results that the output node descends from, in plan order. */
export function resultsBehind(state: RunState, output: NodeState): NodeResult[] {
  const wanted = new Set<string>();
  const stack = [...output.plan.deps];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (wanted.has(id)) continue;
    wanted.add(id);
    const node = state.nodes.get(id);
    if (node !== undefined) stack.push(...node.plan.deps);
  }
  return doneResults(state).filter((result) => wanted.has(result.node));
}

/** Every result of the run, in plan order; those of foreach items as one list. */
export function doneResults(state: RunState): NodeResult[] {
  return state.order.flatMap((node) =>
    node.status === 'done' && node.parent === null && node.value !== undefined
      ? [{ node: node.id, tool: node.tool.name, value: node.value }]
      : [],
  );
}

/** The nodes of the plan without a result, and how they ended. */
export function missingResults(state: RunState): { node: string; tool: string; state: string }[] {
  return state.order.flatMap((node) =>
    node.status !== 'done' && node.parent === null
      ? [{ node: node.id, tool: node.tool.name, state: hasEnded(node) ? node.status : 'not run' }]
      : [],
  );
}
