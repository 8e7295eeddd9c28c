import type { Failure } from '../contracts/failure.ts';
import type { Json } from '../kernel/json.ts';
import { hasEnded, isOptional, type NodeState } from './node-state.ts';
import { noteResult } from './recall-state.ts';
import type { RunState } from './state.ts';

/** Lets a node that has all its dependencies settled become ready: now in an eager walk, else in the next level. */
export function release(state: RunState, node: NodeState): void {
  if (state.task.walk === 'level') state.nextLevel.push(node);
  else makeReady(state, node);
}

/** Puts a node among those that may start. */
export function makeReady(state: RunState, node: NodeState): void {
  node.status = 'ready';
  state.ready.push(node);
}

/** Takes a node out of those that may start. */
export function leaveReady(state: RunState, node: NodeState): void {
  if (node.status !== 'ready') return;
  node.status = 'pending';
  while (state.ready.size > 0 && state.ready.peek()?.status !== 'ready') state.ready.pop();
}

/** A node has failed, or was denied: what follows from that is decided. */
export function beginFailing(state: RunState, node: NodeState, failure: Failure): void {
  node.status = 'failing';
  node.failure = failure;
  state.failing.push(node);
}

/** What became of a node's call is unknown, and it must not be made twice: a person is to say. */
export function raiseDoubt(state: RunState, node: NodeState): void {
  node.status = 'waiting';
  state.waiting++;
  state.doubtful.push(node);
}

/** A node has its result: its dependents come nearer to running. */
export function finishDone(state: RunState, node: NodeState, value: Json, digest: string, seq: number): void {
  node.value = value;
  node.digest = digest;
  // What was reused was never called, and has no hash of its own.
  if (node.tool.cache === true && node.argsHash !== '') state.cached.set(cacheKey(node), node);
  noteResult(state.memory, node);
  node.status = 'done';
  node.failure = null;
  passOn(state, node, seq);
}

/** What the result of a cacheable call is kept under. */
export function cacheKey(node: NodeState): string {
  return `${node.tool.name}/${node.argsHash}`;
}

/** A node ended without a result: dependents go on with null where it is optional, else they are blocked. */
export function settleWithout(
  state: RunState,
  node: NodeState,
  status: 'failed' | 'skipped' | 'refused',
  seq: number,
): void {
  node.status = status;
  if (node.parent === null && isOptional(node)) {
    passOn(state, node, seq);
    return;
  }
  for (const dependent of node.dependents) {
    if (!hasEnded(dependent)) state.blocked.push({ node: dependent, dependency: node.id });
  }
  closeItem(state, node);
  advance(state);
}

/** Lets go of what has ended at the end of what is blocked and at the start of what is left, so that neither is looked through again. */
function advance(state: RunState): void {
  const { blocked, order } = state;
  for (let entry = blocked.at(-1); entry !== undefined && hasEnded(entry.node); entry = blocked.at(-1)) {
    blocked.pop();
  }
  for (
    let node = order[state.skipCursor];
    node !== undefined && hasEnded(node);
    node = order[state.skipCursor]
  ) {
    state.skipCursor++;
  }
}

function passOn(state: RunState, node: NodeState, seq: number): void {
  const dependents = node.dependents;
  for (let index = 0; index < dependents.length; index++) {
    const dependent = dependents[index] as NodeState;
    if (dependent.after < seq) dependent.after = seq;
    if (--dependent.unsettled === 0 && dependent.status === 'pending') release(state, dependent);
  }
  closeItem(state, node);
}

function closeItem(state: RunState, node: NodeState): void {
  const parent = node.parent;
  if (parent === null) return;
  parent.openItems--;
  if (parent.openItems === 0 && !hasEnded(parent)) state.joinable.push(parent);
}
