import { createLedger, settle, settleToolCall } from '../budget/ledger.ts';
import type { Task } from '../contracts/task.ts';
import type { EventOf } from '../flight/events.ts';
import { renewPromises } from './crew-state.ts';
import { resumeAgents } from './evolve-agents.ts';
import { resumeMemory } from './evolve-memory.ts';
import { assumeAll, removeCall } from './evolve-model.ts';
import { askHooksAgain } from './evolve-hooks.ts';
import { isRepeatable, type NodeState } from './node-state.ts';
import { reopenRun } from './reopen.ts';
import { makeReady, raiseDoubt } from './settle-node.ts';
import type { RunState } from './state.ts';

/** Folds an early end: nothing runs any more. */
export function interruptRun(state: RunState): void {
  state.isInterrupted = true;
}

/**
 * Folds a resumption: what was under way settles at what it had reserved, and is owed again under the same key.
 * `before` is the time of the event before.
 */
export function resumeRun(state: RunState, event: EventOf<'run.resumed'>, before: number): void {
  wakeRun(state, event, before);
  if (event.budget !== undefined) raiseBudget(state, event.budget);
  if (event.reopen === true) reopenRun(state);
}

/** Lets a run that lay still go on: nothing is under way any more. */
export function wakeRun(
  state: RunState,
  event: EventOf<'run.resumed'> | EventOf<'run.forked'>,
  before: number,
): void {
  state.rules = event.rules;
  state.attended = event.attended ?? false;
  resumeMemory(state, event.memory === true);
  state.hooks = event.hooks;
  state.targets = event.targets;
  const wasCancelling = state.isCancelling;
  state.isCancelling = false;
  if (state.session !== null) state.session.isOpen = event.type === 'run.resumed' && event.session === true;
  state.isInterrupted = false;
  if (state.finished?.status === 'waiting') state.finished = null;
  if (state.verification !== null) state.verification.calling = null;
  if (wasCancelling) cancelAborted(state);
  resumeAgents(state);
  resumeNodes(state);
  askHooksAgain(state);
  resumeCalls(state);
  // What was to wait waits out what was left of it: the clock of this process may be behind or far ahead.
  const moved = (untilMs: number): number => event.at + Math.max(0, untilMs - before);
  for (const node of state.retrying) node.dueAt = moved(node.dueAt);
  for (const [provider, until] of state.cooling) state.cooling.set(provider, moved(until));
}

function raiseBudget(state: RunState, budget: Task['budget']): void {
  state.task = { ...state.task, budget };
  const { settled, reserved } = state.ledger;
  state.ledger = { ...createLedger(budget), settled, reserved };
  renewPromises(state);
  if (state.stop?.by === 'budget') state.stop = null;
  state.mode = 'full';
}

/** Nodes whose attempt the cancellation ended, and whose own end nobody has logged: they are cancelled all the same. */
function cancelAborted(state: RunState): void {
  const isAborted = (node: NodeState): boolean => node.failure?.code === 'aborted';
  state.cancelled.push(...state.failing.filter(isAborted));
  state.failing = state.failing.filter((node) => !isAborted(node));
}

/** What may be made again is owed again, the answers that its attempt had at hand; of the rest a person is asked. */
function resumeNodes(state: RunState): void {
  for (const node of state.running.values()) {
    // Its agent goes on from where it was.
    if (node.agent !== null) continue;
    state.running.delete(node.id);
    settleToolCall(state.ledger);
    if (isRepeatable(node.tool)) {
      node.attempt--;
      makeReady(state, node);
    } else {
      raiseDoubt(state, node);
    }
  }
  for (const node of state.cancelled) {
    if (isRepeatable(node.tool)) makeReady(state, node);
    else raiseDoubt(state, node);
  }
  state.cancelled = [];
}

function resumeCalls(state: RunState): void {
  for (const call of state.runningCalls.values()) {
    settle(state.ledger, call.reserved, assumeAll(state, call));
    call.tries--;
    call.status = 'due';
    state.openCalls.push(call);
  }
  state.runningCalls.clear();
  state.openCalls = state.openCalls.filter((call) => call.ask === null);
  for (const call of [...state.calls.values()]) {
    // A tool that runs again asks again.
    if (call.ask !== null) removeCall(state, call.id);
    else if (call.status === 'refreshing') {
      // Nobody fetches its key any more; a process fetches one of its own when it first needs it.
      call.status = 'due';
      state.openCalls.push(call);
    } else if (call.failure?.code === 'aborted') call.status = 'due';
    call.dueAt = 0;
  }
}
