import { listSteps } from '../agent/list-steps.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey } from './effect-key.ts';
import { hasEnded, type NodeState } from './node-state.ts';
import type { RunState } from './state.ts';

/** The result of one node, as prompts and checks are given it. */
export interface NodeResult {
  readonly node: string;
  readonly tool: string;
  readonly value: Json;
}

/** What the agent that did a node was told by its tools. */
function foundByAgent(state: RunState, node: NodeState): NodeResult[] {
  const key = attemptKey(node.id, node.attempt);
  const agent = node.agent === null ? undefined : state.crew.get(key);
  if (agent === undefined) return [];
  // A history that was made shorter lacks results; the first of each call are kept beside it.
  const cleared = agent.generation === 0 ? [] : [...agent.results.values()];
  return [
    ...listSteps(agent.messages).flatMap(({ kind, tool, value }) =>
      kind === 'call' ? [{ node: key, tool: typeof tool === 'string' ? tool : '', value }] : [],
    ),
    ...cleared.map((value) => ({ node: key, tool: '', value })),
  ];
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
  return [...doneResults(state).filter((result) => wanted.has(result.node)), ...foundByAgent(state, output)];
}

/** Every result of the run, in plan order; those of foreach items as one list. */
export function doneResults(state: RunState): NodeResult[] {
  return state.order.flatMap((node) =>
    node.status === 'done' && node.parent === null && node.value !== undefined
      ? [{ node: node.id, tool: node.tool.name, value: node.value }]
      : [],
  );
}

/** Every result of the run, and what agents wrote up that did not finish. */
export function foundResults(state: RunState): NodeResult[] {
  const left = state.order.flatMap(({ id, tool, leftover }) =>
    leftover === null ? [] : [{ node: id, tool: tool.name, value: leftover }],
  );
  return [...doneResults(state), ...left];
}

/** The write-up of an agent that is the whole plan and did not finish; null where there is none. */
export function soleLeftover({ order }: RunState): string | null {
  return order.length === 1 ? (order[0]?.leftover ?? null) : null;
}

/** The nodes of the plan without a result, and how they ended. */
export function missingResults(state: RunState): { node: string; tool: string; state: string }[] {
  return state.order.flatMap((node) =>
    node.status !== 'done' && node.parent === null
      ? [{ node: node.id, tool: node.tool.name, state: hasEnded(node) ? node.status : 'not run' }]
      : [],
  );
}
