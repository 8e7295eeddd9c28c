import { type NodeState, resetNode } from './node-state.ts';
import { makeReady, release } from './settle-node.ts';
import type { RunState } from './state.ts';

/** Folds the reopening of a run that ended: what is done stays, everything else of its plan is to run again. */
export function reopenRun(state: RunState): void {
  state.finished = null;
  state.stop = state.stop?.by === 'policy' ? null : state.stop;
  state.verdict = null;
  state.rejected = null;
  state.ready.clear();
  state.nextLevel = [];
  state.blocked = [];
  state.failures = [];
  state.failing = [];
  state.retrying = [];
  state.joinable = [];
  state.skipCursor = 0;
  state.calls.delete('final/1');
  if (state.plan === null || state.planning.replan !== null) {
    state.planning = { ...state.planning, rounds: [], rejected: null };
    state.phase = 'planning';
    return;
  }
  state.phase = 'walking';
  state.replans = 0;
  state.revisions = 0;
  for (const node of state.order) if (node.status !== 'done' && node.status !== 'waiting') resetNode(node);
  for (const node of state.order) if (node.parent === null) reopenNode(state, node);
}

function reopenNode(state: RunState, node: NodeState): void {
  node.unsettled = node.plan.deps.filter((id) => state.nodes.get(id)?.status !== 'done').length;
  if (node.status !== 'pending' || node.unsettled > 0) return;
  if (node.items === null) {
    release(state, node);
    return;
  }
  // Items that are done stay; the others run one by one.
  node.status = 'expanded';
  const open = node.items.filter((item) => item.status !== 'done');
  node.openItems = open.length;
  for (const item of open) makeReady(state, item);
  if (open.length === 0) state.joinable.push(node);
}
