import { releaseToolCall, reserveToolCall, settleToolCall } from '../budget/ledger.ts';
import type { EventOf } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { attemptKey, repairKey } from './effect-key.ts';
import { closeCall, dropAsks } from './evolve-model.ts';
import { expandNode } from './evolve-plan.ts';
import { joinedValue } from './foreach.ts';
import type { NodeState } from './node-state.ts';
import { noteResult } from './recall-state.ts';
import { keepRejected } from './rejected-output.ts';
import { makeReady, settleDone, settleWithout } from './settle-node.ts';
import type { RunState } from './state.ts';

type NodeEvent = EventOf<
  | 'node.started'
  | 'node.done'
  | 'node.reused'
  | 'node.joined'
  | 'node.expanded'
  | 'node.amended'
  | 'node.failed'
  | 'node.skipped'
  | 'node.refused'
  | 'node.cancelled'
  | 'attempt.failed'
  | 'approval.requested'
  | 'approval.decided'
>;

/** Folds an event of one node. */
export function evolveNode(state: RunState, event: NodeEvent): void {
  const node = findNode(state, event.node);
  if (node === undefined) throw new TypeError(`no node ${JSON.stringify(event.node)} at event ${event.seq}`);
  switch (event.type) {
    case 'node.started':
      startNode(state, node, event);
      return;
    case 'node.done':
      endAttempt(state, node);
      finishDone(state, node, event.value, '', event.seq);
      return;
    case 'node.reused':
      leaveOpen(state, node);
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
      amendNode(state, node, event);
      return;
    case 'node.expanded':
      expandNode(state, event);
      return;
    case 'node.failed':
      leaveOpen(state, node);
      node.failure = event.failure;
      if (node.parent === null) state.failures.push(node);
      settleWithout(state, node, 'failed', event.seq);
      return;
    case 'node.skipped':
      leaveOpen(state, node);
      settleWithout(state, node, 'skipped', event.seq);
      return;
    case 'node.refused':
      leaveOpen(state, node);
      if (node.parent === null) state.failures.push(node);
      noteRefusal(state, node, event);
      settleWithout(state, node, 'refused', event.seq);
      return;
    case 'node.cancelled':
      leaveOpen(state, node);
      node.status = 'cancelled';
      state.cancelled.push(node);
      return;
    case 'approval.requested':
      askPerson(state, node, event);
      return;
    case 'approval.decided':
      decideApproval(state, node, event);
      return;
  }
}

/** Most events are of the next node or of one that runs; a search among all is what grows with the plan. */
function findNode(state: RunState, id: string): NodeState | undefined {
  const next = state.ready.peek();
  return next?.id === id ? next : (state.running.get(id) ?? state.nodes.get(id));
}

function startNode(state: RunState, node: NodeState, event: EventOf<'node.started'>): void {
  if (node.status === 'retrying') state.retrying.splice(state.retrying.indexOf(node), 1);
  else if (node.status === 'failing') state.failing.splice(state.failing.indexOf(node), 1);
  else leaveReady(state, node);
  node.status = 'running';
  node.agent = event.agent ?? null;
  node.attempt = event.attempt;
  node.argsHash = event.args;
  // An agent asks models, so that it can be told what was wrong.
  node.asks = node.agent === null ? 0 : 1;
  if (node.agent === null) reserveToolCall(state.ledger);
  else state.agentNodes.set(node.id, node);
  state.running.set(node.id, node);
}

function leaveReady(state: RunState, node: NodeState): void {
  if (node.status !== 'ready') return;
  node.status = 'pending';
  while (state.ready.size > 0 && state.ready.peek()?.status !== 'ready') state.ready.pop();
}

function endAttempt(state: RunState, node: NodeState): void {
  node.answers = null;
  if (node.agent === null) settleToolCall(state.ledger);
  else leaveAgent(state, node);
  state.running.delete(node.id);
  dropAsks(state, node.id);
}

/** The agent of a node has ended; that of the output is kept, since it may have to go on. */
function leaveAgent(state: RunState, node: NodeState): void {
  const agent = state.crew.get(attemptKey(node.id, node.attempt));
  node.leftover = agent?.finished?.status === 'partial' ? agent.answerText : null;
  state.agentNodes.delete(node.id);
  if (state.plan?.output !== node.id) state.crew.delete(attemptKey(node.id, node.attempt));
}

function finishDone(state: RunState, node: NodeState, value: Json, digest: string, seq: number): void {
  node.value = value;
  node.digest = digest;
  // What was reused was never called, and has no hash of its own.
  if (node.tool.cache === true && node.argsHash !== '') state.cached.set(cacheKey(node), node);
  noteResult(state.memory, node);
  settleDone(state, node, seq);
}

/** What the result of a cacheable call is kept under. */
function cacheKey(node: NodeState): string {
  return `${node.tool.name}/${node.argsHash}`;
}

function amendNode(state: RunState, node: NodeState, event: EventOf<'node.amended'>): void {
  if (event.args !== undefined) {
    node.amendedArgs = event.args;
    node.amendedBy = event.by;
  }
  if (event.by === 'person') {
    if (state.amendmentsOwed[0]?.node === node.id) state.amendmentsOwed.shift();
    return;
  }
  if (event.by === 'hook') {
    if (node.status !== 'running') return;
    // The call was not made: it is looked at again with its new arguments, and no consent covers them.
    releaseToolCall(state.ledger);
    state.running.delete(node.id);
    node.attempt--;
  } else if (event.by === 'repair') {
    leaveOpen(state, node);
    node.repairs++;
  } else {
    state.revisions++;
    state.cached.delete(cacheKey(node));
    keepRejected(state);
    node.feedback = event.reasons;
    node.value = undefined;
    node.attemptsBefore = node.attempt;
    state.verdict = null;
    state.phase = 'walking';
  }
  makeReady(state, node);
}

/** Folds the start of a repair: its node waits for it. */
export function startRepair(state: RunState, event: Pick<EventOf<'model.requested'>, 'node'>): void {
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
      leaveReady(state, node);
      return;
    case 'failing':
      state.failing.splice(state.failing.indexOf(node), 1);
      return;
    case 'retrying':
      state.retrying.splice(state.retrying.indexOf(node), 1);
      return;
    case 'repairing':
      state.repairing.splice(state.repairing.indexOf(node), 1);
      closeCall(state, repairKey(node.id, node.repairs + 1));
      return;
    case 'waiting':
      closeQuestion(state, node);
      return;
    case 'expanded':
      if (node.openItems === 0) state.joinable.splice(state.joinable.indexOf(node), 1);
      return;
    case 'running':
      if (node.agent !== null) {
        state.running.delete(node.id);
        leaveAgent(state, node);
      }
      return;
    case 'pending':
    case 'done':
    case 'failed':
    case 'skipped':
    case 'refused':
    case 'cancelled':
    case 'superseded':
      return;
  }
}

function noteRefusal(state: RunState, node: NodeState, event: EventOf<'node.refused'>): void {
  if (event.by === 'budget') state.stop ??= { by: 'budget', reason: event.reason };
  else node.failure ??= { code: 'policy_denied', class: 'POLICY', message: event.reason };
}

function askPerson(state: RunState, node: NodeState, event: EventOf<'approval.requested'>): void {
  if (event.question === 'consent' || event.question === 'answer') leaveReady(state, node);
  else if (node.status === 'waiting') state.doubtful.splice(state.doubtful.indexOf(node), 1);
  else leaveOpen(state, node);
  if (node.status !== 'waiting') state.waiting++;
  node.status = 'waiting';
  state.questions.set(node.id, event);
}

function closeQuestion(state: RunState, node: NodeState): void {
  state.waiting--;
  state.questions.delete(node.id);
}

function decideApproval(state: RunState, node: NodeState, event: EventOf<'approval.decided'>): void {
  if (node.status !== 'waiting') return;
  closeQuestion(state, node);
  if (event.decision === 'denied') {
    denyNode(state, node, event);
    return;
  }
  if (node.after < event.seq) node.after = event.seq;
  if (event.decision === 'done') {
    finishDone(state, node, event.value ?? null, '', event.seq);
    return;
  }
  node.approvedArgs = event.argsHash;
  makeReady(state, node);
}

function denyNode(state: RunState, node: NodeState, event: EventOf<'approval.decided'>): void {
  node.status = 'failing';
  node.failure = {
    code: 'policy_denied',
    class: 'POLICY',
    message:
      event.expired === true
        ? `nobody answered: ${event.reason ?? ''}`
        : `${event.by} denied it${event.reason === undefined ? '' : `: ${event.reason}`}`,
    details: { denied: true },
  };
  state.failing.push(node);
}
