import type { HookedOutcome } from '../contracts/hooks.ts';
import type { EventOf } from '../flight/events.ts';
import type { NodeState } from './node-state.ts';
import { beginFailing, finishDone, leaveReady, makeReady } from './settle-node.ts';
import type { RunState } from './state.ts';

/** Folds the question to hooks: before a node it is out of the ready ones, after it they have its outcome. */
export function requestHooks(state: RunState, node: NodeState, event: EventOf<'hooks.requested'>): void {
  if (event.when === 'before') {
    leaveReady(state, node);
    node.status = 'hooking';
    node.hooks = { stage: 'before', isAsked: true, outcome: null, value: undefined };
  } else if (node.hooks !== null) {
    node.hooks.stage = 'after';
    node.hooks.isAsked = true;
  }
  if (!state.hooking.includes(node)) state.hooking.push(node);
}

/** Folds what hooks say; nothing where the node has ended meanwhile. */
export function hearHooks(state: RunState, node: NodeState, event: EventOf<'node.hooked'>): void {
  const { hooks } = node;
  if (hooks?.isAsked !== true || hooks.stage !== event.when) return;
  hooks.isAsked = false;
  leaveHooking(state, node);
  if (node.after < event.seq) node.after = event.seq;
  if (event.when === 'before') {
    if (event.failure !== undefined) {
      beginFailing(state, node, event.failure);
      return;
    }
    if (event.args !== undefined) {
      node.amendedArgs = event.args;
      node.amendedBy = 'hook';
    }
    hooks.stage = 'passed';
    makeReady(state, node);
    return;
  }
  hooks.stage = 'heard';
  hooks.value = event.value;
  // The work of an agent: its end is decided now.
  if (hooks.outcome === null) return;
  if (hooks.outcome.ok) finishDone(state, node, event.value ?? hooks.outcome.value, '', event.seq);
  else beginFailing(state, node, hooks.outcome.failure);
}

/** Folds what a person said to a question that hooks were asked about before: they are asked about the answer too. */
export function hookAnswer(state: RunState, node: NodeState, outcome: HookedOutcome): boolean {
  const { hooks } = node;
  if (hooks?.stage !== 'passed') return false;
  hooks.stage = 'after';
  hooks.isAsked = false;
  hooks.outcome = outcome;
  node.status = 'hooking';
  state.hooking.push(node);
  return true;
}

/** Takes a node out of those that hooks are asked about. */
export function leaveHooking(state: RunState, node: NodeState): void {
  const index = state.hooking.indexOf(node);
  if (index >= 0) state.hooking.splice(index, 1);
}

/** What the process before was told by its hooks nobody knows: this one asks its own. */
export function askHooksAgain(state: RunState): void {
  for (const node of [...state.hooking]) {
    const { hooks } = node;
    if (hooks === null) continue;
    hooks.isAsked = false;
    if (hooks.stage === 'after' && hooks.outcome !== null) continue;
    leaveHooking(state, node);
    if (hooks.stage === 'before') {
      node.hooks = null;
      makeReady(state, node);
    } else hooks.stage = 'passed';
  }
}
