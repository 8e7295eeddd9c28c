/*
 * The decisions of a run. `decide` is total and pure: from the state alone it says what is owed next, one thing at a
 * time, or null where the run waits for something from outside. Owned here: the order of what is owed. Not here: how
 * it is done (engine), and what its outcome means (planner, worker, critic).
 *
 * 1. What was decided is folded before the next decision is asked for, so each sees the ones before it.
 * 2. Whatever an event owes (a failure, an answer) comes before new starts.
 * 3. The first ready node that does not fit the budget blocks those behind it.
 * 4. Never more nodes run than `concurrency`.
 */
import { nextAgentWake } from '../agent/crew.ts';
import { hasSlotFor, isCrewWorking } from './crew-state.ts';
import { tryByCode } from './decide-agent-node.ts';
import { decideAgents, decideSession } from './decide-agents.ts';
import { decideCancelled } from './decide-cancelled.ts';
import { amendAsForked, decideExpired, decideWaiting, expiresAt, hasDoubt } from './decide-approval.ts';
import { decideOpenCalls } from './decide-calls.ts';
import { decideRest, decideSkip, decideStopped, finish, finishFailed } from './decide-ending.ts';
import { askHooksOfAnswer } from './decide-hooks.ts';
import { askWhatBecame, decideFailure, decideJoin, decideRepaired, decideStart } from './decide-node.ts';
import { decidePlanning } from './decide-planning.ts';
import { decideSummary } from './decide-summary.ts';
import { canReplan, decideJudged, decideVerifying } from './decide-verdict.ts';
import type { Decision } from './effects.ts';
import { changeOfMode } from './modes.ts';
import type { NodeState } from './node-state.ts';
import { outputNode } from './results.ts';
import { isOver, type RunState } from './state.ts';

/** The next thing that the run owes, or null where it waits (or is over). No run ends before each of its nodes has. */
export function decide(state: RunState): Decision | null {
  const owed = decideNext(state);
  if (owed?.event.type !== 'run.finished') return owed;
  const { status } = owed.event;
  if (status === 'waiting' || status === 'planned') return owed;
  const before = decideRest(state) ?? decideSummary(state, owed.event);
  return before === 'awaited' ? null : (before ?? owed);
}

function decideNext(state: RunState): Decision | null {
  if (isOver(state)) return null;
  if (state.overrunOwed !== null) return { event: state.overrunOwed };
  if (state.stop?.by === 'budget' && state.mode !== 'stopped') return changeOfMode(state);
  if (state.isCancelling) return decideCancelled(state);
  const amendment = state.amendmentsOwed[0];
  if (amendment !== undefined) return amendAsForked(amendment);
  const expired = state.questions.size > 0 ? decideExpired(state) : null;
  if (expired !== null) return expired;
  const failing = state.failing[0];
  if (failing !== undefined) return tryByCode(state, failing, decideFailure(state, failing));
  const reused = state.reusable[0];
  if (reused !== undefined) return { event: { type: 'ask.reused', ...reused } };
  const doubtful = state.doubtful[0];
  if (doubtful !== undefined) return askWhatBecame(state, doubtful);
  const hooked = state.hooking.length > 0 ? askHooksOfAnswer(state) : null;
  if (hooked !== null) return hooked;
  let isBlocked = false;
  if (state.openCalls.length > 0) {
    const owed = decideOpenCalls(state);
    if (owed !== null && owed !== 'blocked') return owed;
    isBlocked = owed === 'blocked';
  }
  if (!isBlocked && hasAgents(state)) {
    const owed = decideAgents(state);
    if (owed !== null) return owed;
  }
  switch (state.phase) {
    case 'planning':
      return decidePlanning(state);
    case 'walking':
      return decideWalking(state, isBlocked);
    case 'judged':
      return decideJudged(state);
    case 'session':
      return decideSession(state);
  }
}

function hasAgents({ crew, agentNodes, session }: RunState): boolean {
  return crew.size > 0 || agentNodes.size > 0 || session !== null;
}

function decideWalking(state: RunState, isBlocked: boolean): Decision | null {
  if (state.isPlanOnly) return finish(state, 'planned', 'the plan was accepted');
  const joinable = state.joinable[0];
  if (joinable !== undefined) return decideJoin(joinable);
  if (state.repairing.length > 0) {
    const repaired = decideRepaired(state);
    if (repaired !== null) return repaired;
  }
  if (state.stop === null && !isBlocked) {
    const node = nextStart(state);
    if (node !== undefined && hasSlotFor(state, node)) {
      // Between levels the mode may change in any way, within one only to a stop.
      const change = changeOfMode(state, state.task.walk === 'level');
      return change ?? decideStart(state, node);
    }
  }
  if (isBusy(state)) return null;
  // What agents have left to do waits for a person.
  if (state.agentNodes.size > 0) return decideWaiting(state);
  if (state.stop !== null) return decideStoppedWalk(state);
  if (state.nextLevel.length > 0) {
    return (
      changeOfMode(state) ?? {
        event: { type: 'level.started', level: state.level + 1, nodes: state.nextLevel.length },
      }
    );
  }
  return decideWalked(state);
}

function nextStart(state: RunState): NodeState | undefined {
  for (const node of state.retrying) if (node.dueAt <= state.now) return node;
  return state.ready.peek();
}

function isBusy(state: RunState): boolean {
  return (
    state.running.size > state.agentNodes.size ||
    isCrewWorking(state) ||
    (state.stop === null && (state.ready.size > 0 || state.retrying.length > 0)) ||
    state.repairing.length > 0 ||
    state.hooking.length > 0 ||
    state.runningCalls.size > 0 ||
    state.openCalls.length > 0
  );
}

function decideStoppedWalk(state: RunState): Decision | null {
  const output = outputNode(state);
  return output?.status === 'done' && state.stop?.by === 'budget'
    ? decideVerifying(state, output)
    : decideStopped(state);
}

/** Nothing can run any more: the output is verified, or the rest is planned anew, or the run ends without it. */
function decideWalked(state: RunState): Decision | null {
  const output = outputNode(state);
  if (output?.status === 'done') {
    // A call that waits for a person is part of the plan, whether or not the output needs it.
    return decideSkip(state) ?? (state.waiting > 0 ? decideWaiting(state) : decideVerifying(state, output));
  }
  const failure = state.failures.find((node) => node.failure !== null)?.failure;
  const first = state.failures[0];
  const isReported = state.task.onToolFailure === 'report';
  if (first !== undefined && !isReported && mayPlanAround(state) && canReplan(state)) {
    // A plan drawn now could make a call once more of which nobody knows whether it was made.
    if (hasDoubt(state)) return decideWaiting(state);
    const failed = state.failures.map((node) => node.id);
    return { event: { type: 'replan.started', reason: 'node_failed', failed, issues: [] } };
  }
  const skip = decideSkip(state);
  if (skip !== null) return skip;
  if (state.waiting > 0) return decideWaiting(state);
  const reason = first === undefined ? 'the output node did not run' : `node ${first.id} ${first.status}`;
  return finishFailed(
    state,
    failure === undefined || failure === null ? reason : `${reason}: ${failure.message}`,
    failure ?? { code: 'internal', class: 'PERMANENT', message: reason },
  );
}

/** A tool's POLICY failure ends the run; a person's denial refuses its branch and allows one replan. */
function mayPlanAround(state: RunState): boolean {
  const policy = state.failures.filter((node) => node.failure?.class === 'POLICY');
  return policy.every((node) => node.failure?.details?.['denied'] === true && state.replans === 0);
}

/** The earliest time at which time alone makes something owed, in epoch milliseconds; Infinity where it never does. */
export function nextWake(state: RunState): number {
  let earliest = Infinity;
  if (isOver(state) || state.isCancelling) return earliest;
  for (const question of state.questions.values()) earliest = Math.min(earliest, expiresAt(state, question));
  // What is due already waits for something else, such as a slot.
  for (const node of state.retrying) {
    if (node.dueAt > state.now) earliest = Math.min(earliest, node.dueAt);
  }
  for (const call of state.openCalls) {
    if (call.status === 'due' && call.dueAt > state.now) earliest = Math.min(earliest, call.dueAt);
  }
  if (state.crew.size > 0) earliest = Math.min(earliest, nextAgentWake(state.crew, state.now));
  return earliest;
}
