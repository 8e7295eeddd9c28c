import type { Plan, PlanNode } from '../contracts/plan.ts';
import { type Dependencies, findDependencies, findDependents } from '../dag/adjacency.ts';
import { remainingPaths } from '../dag/remaining-path.ts';
import type { Json } from '../kernel/json.ts';
import type { EventOf } from '../flight/events.ts';
import { foreachItems } from './foreach.ts';
import { createNode, NO_NODES, type NodeState } from './node-state.ts';
import { extendReach } from './plan-reach.ts';
import { makeReady, release } from './settle-node.ts';
import type { RunState } from './state.ts';

/** Folds an accepted plan: done nodes keep their results, all others begin anew. */
export function acceptPlan(state: RunState, event: EventOf<'plan.accepted'>): void {
  const plan = event.plan;
  const before = state.nodes;
  for (const node of before.values()) if (node.attempt > 0) state.attempts.set(node.id, node.attempt);
  const kept = new Set(event.kept);
  state.plan = plan;
  if (state.task.policy.widened !== undefined) extendReach(state.reach, plan, state.tools);
  state.planHash = event.hash;
  state.planVersion = event.version;
  state.planSeq = event.seq;
  state.planning = { rounds: [], replan: null, supplied: null, rejected: null };
  state.phase = 'walking';
  state.nodes = new Map();
  state.order = [];
  state.ready.clear();
  state.nextLevel = [];
  state.blocked = [];
  state.failures = [];
  state.retrying = [];
  state.skipCursor = 0;
  state.barrierSeq = event.seq;
  state.waiting = 0;
  state.questions.clear();
  state.crew.clear();
  buildNodes(state, plan, kept, before);
}

function buildNodes(
  state: RunState,
  plan: Plan,
  kept: ReadonlySet<string>,
  before: ReadonlyMap<string, NodeState>,
): void {
  const { nodes } = plan;
  const dependencies = findDependencies(nodes);
  const priorities = state.task.walk === 'eager' ? remainingPaths(plan, dependencies, state.tools) : null;
  for (let index = 0; index < nodes.length; index++) {
    const planNode = nodes[index] as PlanNode;
    const done = kept.has(planNode.id) ? before.get(planNode.id) : undefined;
    const node =
      done?.status === 'done'
        ? keepDone(done, planNode, index)
        : createNode(planNode, toolOf(state, planNode), {
            index,
            priority: priorities?.[index] ?? 0,
            attempts: state.attempts.get(planNode.id) ?? 0,
            after: state.planSeq,
          });
    state.nodes.set(node.id, node);
    state.order.push(node);
  }
  joinNodes(state.order, dependencies);
  for (const node of state.order) if (node.status === 'pending' && node.unsettled === 0) release(state, node);
}

function joinNodes(order: readonly NodeState[], dependencies: Dependencies): void {
  const { first, targets } = findDependents(dependencies);
  for (let index = 0; index < order.length; index++) {
    const node = order[index] as NodeState;
    const start = first[index] ?? 0;
    const count = (first[index + 1] ?? 0) - start;
    if (count === 0) continue;
    const dependents = new Array<NodeState>(count);
    for (let place = 0; place < count; place++) {
      const dependent = order[targets[start + place] ?? 0] as NodeState;
      dependents[place] = dependent;
      if (node.status !== 'done') dependent.unsettled++;
    }
    node.dependents = dependents;
  }
}

function keepDone(done: NodeState, plan: PlanNode, index: number): NodeState {
  return { ...done, plan, index, dependents: NO_NODES, items: null };
}

function toolOf(state: RunState, node: PlanNode): NodeState['tool'] {
  const tool = state.tools.get(node.tool);
  // Validation lets no plan pass that names a tool outside the catalogue; a log that does is corrupt.
  if (tool === undefined) throw new TypeError(`plan names a tool that the catalogue lacks: ${node.tool}`);
  return tool;
}

/** Folds the expansion of a foreach node: one node per item, ready at once. */
export function expandNode(state: RunState, event: EventOf<'node.expanded'>): void {
  const node = state.ready.pop();
  if (node?.id !== event.node) throw new TypeError(`expanded node ${event.node} was not the next`);
  const list = foreachItems(state, node) ?? [];
  node.status = 'expanded';
  node.openItems = list.length;
  node.items = [];
  for (let itemIndex = 0; itemIndex < list.length; itemIndex++) {
    const id = `${node.id}[${itemIndex}]`;
    const item = createNode(node.plan, node.tool, {
      index: node.index,
      priority: node.priority,
      parent: node,
      itemIndex,
      item: list[itemIndex] as Json,
      attempts: state.attempts.get(id) ?? 0,
      after: Math.max(node.after, state.barrierSeq),
    });
    node.items.push(item);
    state.nodes.set(id, item);
    state.order.push(item);
    makeReady(state, item);
  }
  if (list.length === 0) state.joinable.push(node);
}
