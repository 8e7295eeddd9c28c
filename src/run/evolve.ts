/*
 * The fold. `evolve` is deterministic and does no I/O; it owns the state and updates it in place. A node event costs
 * O(out-degree), a plan O(plan). It trusts the log: what is decided is decided in `decide`.
 */
import { reserve, settle } from '../budget/ledger.ts';
import type { ToolSpec } from '../contracts/tool.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey, purposeOf, repairKey } from './effect-key.ts';
import { acceptPlan, expandNode } from './evolve-plan.ts';
import { joinedValue } from './foreach.ts';
import {
  answerCall,
  callOfTry,
  closeCall,
  dropAsks,
  failCall,
  receiveAsk,
  refuseCall,
  startCall,
} from './evolve-model.ts';
import { interruptRun, resumeRun } from './evolve-resume.ts';
import type { NodeState } from './node-state.ts';
import { makeReady, settleDone, settleWithout } from './settle-node.ts';
import { createState, type RunState } from './state.ts';

const ONE_TOOL_CALL = { toolCalls: 1 };

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
  passTime(state, event);
  switch (event.type) {
    case 'run.started':
      throw new TypeError('run.started is only the first event');
    case 'catalogue.published':
      state.tools = new Map((event.tools as readonly ToolSpec[]).map((tool) => [tool.name, tool]));
      state.withheld = new Set(event.withheld);
      return;
    case 'model.requested':
      startCall(state, event);
      if (purposeOf(event.key) === 'repair') startRepair(state, event);
      return;
    case 'model.answered':
      return answerCall(state, event);
    case 'model.failed':
      return failCall(state, event);
    case 'model.refused':
      return refuseCall(state, event);
    case 'ask.received':
      return receiveAsk(state, event);
    case 'ask.failed':
      return closeKnownCall(state, event.key);
    case 'plan.rejected':
      return rejectPlan(state, event);
    case 'plan.accepted':
      if (event.key !== undefined) closeKnownCall(state, event.key);
      return acceptPlan(state, event);
    case 'level.started':
      return startLevel(state, event);
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
      return scheduleRetry(state, event);
    case 'replan.started':
      state.replans++;
      state.phase = 'planning';
      state.planning = { rounds: [], replan: event, supplied: null, rejected: null };
      state.verdict = null;
      return;
    case 'check.called':
      state.verification ??= { functionResults: new Map(), calling: null };
      state.verification.calling = event.key;
      return;
    case 'check.returned':
      return returnCheck(state, event);
    case 'verdict.reached':
      state.verifications++;
      closeKnownCall(state, `judge/${state.verifications}`);
      state.verification = null;
      state.verdict = event.verdict;
      state.phase = 'judged';
      return;
    case 'cancel.requested':
      state.isCancelling = true;
      return;
    case 'timer.fired':
    case 'tool.logged':
      return;
    case 'run.interrupted':
      return interruptRun(state);
    case 'run.resumed':
      return resumeRun(state, event);
    case 'run.finished':
      state.finished = event;
      return;
    default:
      return evolveNode(state, event);
  }
}

type NodeEvent = Extract<FlightEvent, { node: string }>;

function evolveNode(
  state: RunState,
  event: Exclude<NodeEvent, { type: 'ask.received' | 'verdict.reached' | 'tool.logged' | 'model.requested' }>,
): void {
  const node = state.nodes.get(event.node);
  if (node === undefined) throw new TypeError(`no node ${JSON.stringify(event.node)} at event ${event.seq}`);
  switch (event.type) {
    case 'node.started':
      return startNode(state, node, event);
    case 'node.done':
      endAttempt(state, node);
      finishDone(state, node, event.value, event.digest, event.seq);
      return;
    case 'node.reused':
      leaveReady(state, node);
      finishDone(state, node, state.nodes.get(event.from)?.value ?? null, event.digest, event.seq);
      return;
    case 'node.joined':
      state.joinable.shift();
      finishDone(state, node, joinedValue(node), event.digest, event.seq);
      return;
    case 'attempt.failed':
      endAttempt(state, node);
      node.status = 'failing';
      node.failure = event.failure;
      node.draw = event.draw ?? 0;
      state.failing.push(node);
      return;
    case 'node.amended':
      return amendNode(state, node, event);
    case 'node.expanded':
      return expandNode(state, event);
    case 'node.failed':
      leaveOpen(state, node);
      node.failure = event.failure;
      if (node.parent === null) state.failures.push(node);
      return settleWithout(state, node, 'failed', event.seq);
    case 'node.skipped':
      leaveOpen(state, node);
      return settleWithout(state, node, 'skipped', event.seq);
    case 'node.refused':
      leaveOpen(state, node);
      if (node.parent === null) state.failures.push(node);
      noteRefusal(state, event);
      return settleWithout(state, node, 'refused', event.seq);
    case 'node.cancelled':
      leaveOpen(state, node);
      node.status = 'cancelled';
      state.cancelled.push(node);
      return;
    case 'approval.requested':
      leaveReady(state, node);
      node.status = 'waiting';
      state.waiting++;
      return;
    case 'approval.decided':
      return decideApproval(state, node, event);
  }
}

function passTime(state: RunState, event: FlightEvent): void {
  const elapsed = event.at - state.now;
  // The time between an interruption and the resumption is nobody's.
  if (elapsed > 0 && event.type !== 'run.resumed') state.ledger.settled.wallMs += elapsed;
  state.now = event.at;
  state.lastSeq = event.seq;
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
  if (call === undefined) throw new TypeError(`nothing to retry under ${event.key} at event ${event.seq}`);
  call.status = 'due';
  call.dueAt = event.at + event.delayMs;
}

function returnCheck(state: RunState, event: EventOf<'check.returned'>): void {
  const { verification } = state;
  if (verification?.calling !== event.key) return;
  verification.calling = null;
  verification.functionResults.set(Number(event.key.slice(event.key.lastIndexOf('/') + 1)), event.result);
}

function closeKnownCall(state: RunState, id: string): void {
  const call = state.calls.get(id);
  if (call !== undefined) closeCall(state, call);
}

function startNode(state: RunState, node: NodeState, event: EventOf<'node.started'>): void {
  if (node.status === 'retrying') state.retrying.splice(state.retrying.indexOf(node), 1);
  else leaveReady(state, node);
  node.status = 'running';
  node.attempt = event.attempt;
  node.argsHash = event.args;
  node.asks = 0;
  reserve(state.ledger, ONE_TOOL_CALL);
  state.running.add(node);
}

function leaveReady(state: RunState, node: NodeState): void {
  if (node.status !== 'ready') return;
  node.status = 'pending';
  while (state.ready.size > 0 && state.ready.peek()?.status !== 'ready') state.ready.pop();
}

function endAttempt(state: RunState, node: NodeState): void {
  settle(state.ledger, ONE_TOOL_CALL, ONE_TOOL_CALL);
  state.running.delete(node);
  dropAsks(state, node.id);
}

function finishDone(state: RunState, node: NodeState, value: Json, digest: string, seq: number): void {
  node.value = value;
  node.digest = digest;
  if (node.tool.cache === true && node.plan.foreach === undefined) {
    state.cached.set(`${node.tool.name}/${node.argsHash}`, node);
  }
  settleDone(state, node, seq);
}

function amendNode(state: RunState, node: NodeState, event: EventOf<'node.amended'>): void {
  if (event.args !== undefined) node.amendedArgs = event.args;
  if (event.by === 'repair') {
    node.repairs++;
    closeKnownCall(state, repairKey(node.id, node.repairs));
    leaveOpen(state, node);
  } else if (event.by === 'revision') {
    state.revisions++;
    node.feedback = event.reasons;
    node.value = undefined;
    node.attemptsBefore = node.attempt;
    state.verdict = null;
    state.phase = 'walking';
  }
  makeReady(state, node);
}

function startRepair(state: RunState, event: EventOf<'model.requested'>): void {
  const node = state.nodes.get(event.node ?? '');
  if (node === undefined || node.status === 'repairing') return;
  leaveOpen(state, node);
  node.status = 'repairing';
  state.repairing.push(node);
}

/** Takes a node out of whatever it was waiting in. */
function leaveOpen(state: RunState, node: NodeState): void {
  switch (node.status) {
    case 'ready':
      return leaveReady(state, node);
    case 'failing':
      state.failing.splice(state.failing.indexOf(node), 1);
      return;
    case 'retrying':
      state.retrying.splice(state.retrying.indexOf(node), 1);
      return;
    case 'repairing':
      state.repairing.splice(state.repairing.indexOf(node), 1);
      return;
    case 'waiting':
      state.waiting--;
      return;
    case 'expanded':
      if (node.openItems === 0) state.joinable.splice(state.joinable.indexOf(node), 1);
      return;
    case 'pending':
    case 'running':
    case 'done':
    case 'failed':
    case 'skipped':
    case 'refused':
    case 'cancelled':
    case 'superseded':
      return;
  }
}

function noteRefusal(state: RunState, event: EventOf<'node.refused'>): void {
  if (event.by === 'budget') state.stop ??= { by: 'budget', reason: event.reason };
}

function decideApproval(state: RunState, node: NodeState, event: EventOf<'approval.decided'>): void {
  if (node.status !== 'waiting') return;
  state.waiting--;
  if (event.decision === 'approved') {
    node.approvedArgs = event.argsHash;
    if (node.after < event.seq) node.after = event.seq;
    makeReady(state, node);
    return;
  }
  node.status = 'failing';
  node.failure = {
    code: 'policy_denied',
    class: 'POLICY',
    message: `${event.by} denied it${event.reason === undefined ? '' : `: ${event.reason}`}`,
    details: { denied: true },
  };
  state.failing.push(node);
}
