/*
 * The fold. `evolve` is deterministic and does no I/O; it owns the state and updates it in place. A node event costs
 * O(out-degree), a plan O(plan). It trusts the log: what is decided is decided in `decide`.
 */
import type { ToolSpec } from '../contracts/tool.ts';
import { isAgentEvent } from '../flight/events-of-agents.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { hasAgentAtWork } from './crew-state.ts';
import { delayAgentCall, evolveAgentApproval, evolveAgents, tellAgentOfModel } from './evolve-agents.ts';
import { attemptKey, purposeOf } from './effect-key.ts';
import {
  answerCall,
  callOfTry,
  closeCall,
  failCall,
  fallBack,
  refreshCredential,
  receiveAsk,
  refuseCall,
  startCall,
} from './evolve-model.ts';
import { noteRecalled, requestRecall } from './evolve-memory.ts';
import { evolveNode, startRepair } from './evolve-node.ts';
import { acceptPlan } from './evolve-plan.ts';
import { forkRun } from './evolve-fork.ts';
import { interruptRun, resumeRun } from './evolve-resume.ts';
import { evolveWidened } from './evolve-widened.ts';
import { renewTools } from './renew-tools.ts';
import { describeFailure } from './past-failure.ts';
import { keepRejected } from './rejected-output.ts';
import { makeReady } from './settle-node.ts';
import { createState, type RunState } from './state.ts';

/** The state that a list of events leads to; throws where it does not begin with `run.started`. */
export function foldEvents(events: Iterable<FlightEvent>): RunState {
  let state: RunState | null = null;
  for (const event of events) {
    if (state !== null) evolve(state, event);
    else if (event.type === 'run.started') state = createState(event);
    else throw new TypeError(`a log begins with run.started, not ${event.type}`);
  }
  if (state === null) throw new TypeError('an empty log has no state');
  return state;
}

/** Folds the next event into the state, in place. */
export function evolve(state: RunState, event: FlightEvent): void {
  const before = state.now;
  passTime(state, event);
  if (isAgentEvent(event)) {
    evolveAgents(state, event);
    return;
  }
  switch (event.type) {
    case 'run.started':
      throw new TypeError('run.started is only the first event');
    case 'catalogue.published':
      state.tools = new Map((event.tools as readonly ToolSpec[]).map((tool) => [tool.name, tool]));
      state.withheld = new Set(event.withheld);
      renewTools(state);
      return;
    case 'model.requested':
      startCall(state, event);
      if (purposeOf(event.key) === 'repair') startRepair(state, event);
      tellAgentOfModel(state, event);
      return;
    case 'model.answered':
      answerCall(state, event);
      tellAgentOfModel(state, event);
      return;
    case 'model.failed':
      failCall(state, event);
      return;
    case 'model.refused':
      refuseCall(state, event);
      tellAgentOfModel(state, event);
      return;
    case 'fallback.chosen':
      fallBack(state, event);
      return;
    case 'credential.requested':
    case 'credential.refreshed':
      refreshCredential(state, event);
      return;
    case 'ask.received':
      receiveAsk(state, event);
      return;
    case 'ask.failed':
      closeCall(state, event.key);
      tellAgentOfModel(state, event);
      return;
    case 'ask.reused':
      state.reusable.shift();
      return;
    case 'memory.requested':
      requestRecall(state, event);
      return;
    case 'memory.recalled':
      noteRecalled(state, event);
      return;
    case 'plan.rejected':
      rejectPlan(state, event);
      return;
    case 'plan.accepted':
      if (event.key !== undefined) closeCall(state, event.key);
      acceptPlan(state, event);
      return;
    case 'level.started':
      startLevel(state, event);
      return;
    case 'pressure.changed':
      state.mode = event.mode;
      return;
    case 'budget.overrun':
      state.overrunOwed = null;
      state.stop ??= {
        by: 'budget',
        reason: `${event.dimension}: ${event.key} used ${event.used} of ${event.reserved} reserved`,
      };
      return;
    case 'retry.scheduled':
      scheduleRetry(state, event);
      return;
    case 'replan.started':
      state.replans++;
      state.pastFailures.push(...state.failures.map(describeFailure));
      keepRejected(state);
      state.phase = 'planning';
      state.planning = { rounds: [], replan: event, supplied: null, rejected: null };
      state.verdict = null;
      return;
    case 'check.called':
      state.verification ??= { functionResults: new Map(), calling: null };
      state.verification.calling = event.key;
      return;
    case 'check.returned':
      returnCheck(state, event);
      return;
    case 'verdict.reached':
      state.verifications++;
      closeCall(state, `judge/${state.verifications}`);
      closeCall(state, `judge/${state.verifications}/2`);
      state.verification = null;
      state.verdict = event.verdict;
      state.phase = 'judged';
      return;
    case 'cancel.requested':
      state.isCancelling = true;
      return;
    case 'timer.fired':
    case 'model.warned':
    case 'tool.logged':
      return;
    case 'run.interrupted':
      interruptRun(state);
      return;
    case 'run.resumed':
      resumeRun(state, event, before);
      return;
    case 'run.forked':
      forkRun(state, event, before);
      return;
    case 'run.finished':
      state.finished = event;
      return;
    case 'node.started':
    case 'node.done':
    case 'node.reused':
    case 'node.joined':
    case 'node.expanded':
    case 'node.amended':
    case 'node.failed':
    case 'node.skipped':
    case 'node.refused':
    case 'node.cancelled':
    case 'attempt.failed':
    case 'hooks.requested':
    case 'node.hooked':
      evolveNode(state, event);
      return;
    case 'approval.requested':
    case 'approval.decided':
      if (evolveWidened(state, event)) return;
      if (event.call === undefined) evolveNode(state, event);
      else evolveAgentApproval(state, event, event.call);
      return;
  }
}

function passTime(state: RunState, event: FlightEvent): void {
  const elapsed = event.at - state.now;
  if (elapsed > 0 && isAfterWork(event) && !isIdle(state)) state.ledger.settled.wallMs += elapsed;
  state.now = event.at;
  state.lastSeq = event.seq;
}

/** The time between an interruption and the resumption is nobody's, like that before a person answers a run at rest. */
function isAfterWork(event: FlightEvent): boolean {
  if (event.type === 'approval.decided' || event.type === 'node.amended') return event.atRest !== true;
  return event.type !== 'run.resumed' && event.type !== 'run.forked';
}

/** In a session in which nothing is owed time is the person's. */
function isIdle(state: RunState): boolean {
  return state.session !== null && !hasAgentAtWork(state);
}

function rejectPlan(state: RunState, event: EventOf<'plan.rejected'>): void {
  const call = event.key === undefined ? undefined : state.calls.get(event.key);
  if (call === undefined) {
    state.planning.supplied = null;
    state.planning.rejected = event.problems;
    return;
  }
  state.calls.delete(call.id);
  state.planning.rounds.push({ answer: call.answer?.text ?? '', problems: event.problems });
  if (state.planning.rounds.length >= state.task.limits.planRounds) state.planning.rejected = event.problems;
}

function startLevel(state: RunState, event: EventOf<'level.started'>): void {
  state.level = event.level;
  state.barrierSeq = event.seq - 1;
  const nodes = state.nextLevel;
  state.nextLevel = [];
  for (const node of nodes) {
    if (node.after < state.barrierSeq) node.after = state.barrierSeq;
    makeReady(state, node);
  }
}

function scheduleRetry(state: RunState, event: EventOf<'retry.scheduled'>): void {
  const node = state.failing[0];
  if (node !== undefined && attemptKey(node.id, node.attempt) === event.key) {
    state.failing.shift();
    node.status = 'retrying';
    node.dueAt = event.at + event.delayMs;
    state.retrying.push(node);
    return;
  }
  const call = callOfTry(state, event.key);
  if (call === undefined && delayAgentCall(state, event)) return;
  if (call === undefined) throw new TypeError(`nothing to retry under ${event.key} at event ${event.seq}`);
  call.status = 'due';
  call.dueAt = event.at + event.delayMs;
  call.isWidened ||= call.failure?.code === 'model_truncated';
}

function returnCheck(state: RunState, event: EventOf<'check.returned'>): void {
  const { verification } = state;
  if (verification?.calling !== event.key) return;
  verification.calling = null;
  verification.functionResults.set(Number(event.key.slice(event.key.lastIndexOf('/') + 1)), event.result);
}
