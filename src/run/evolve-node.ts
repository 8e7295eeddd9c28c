import { releaseToolCall, reserveToolCall, settleToolCall } from '../budget/ledger.ts';
import type { Failure } from '../contracts/failure.ts';
import type { EventOf } from '../flight/events.ts';
import { attemptKey, repairKey } from './effect-key.ts';
import { hearHooks, hookAnswer, leaveHooking, requestHooks } from './evolve-hooks.ts';
import { closeCall, dropAsks } from './evolve-model.ts';
import { expandNode } from './evolve-plan.ts';
import { joinedValue } from './foreach.ts';
import type { NodeState } from './node-state.ts';
import { keepRejected } from './rejected-output.ts';
import { beginFailing, cacheKey, finishDone, leaveReady, makeReady, settleWithout } from './settle-node.ts';
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
  | 'hooks.requested'
  | 'node.hooked'
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
      node.draw = event.draw ?? 0;
      beginFailing(state, node, event.failure);
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
    case 'hooks.requested':
      requestHooks(state, node, event);
      return;
    case 'node.hooked':
      hearHooks(state, node, event);
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

function amendNode(state: RunState, node: NodeState, event: EventOf<'node.amended'>): void {
  if (event.args !== undefined) {
    node.amendedArgs = event.args;
    node.amendedBy = event.by;
  }
  node.hooks = null;
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
    case 'hooking':
      leaveHooking(state, node);
      return;
    case 'expanded':
      if (node.openItems === 0) state.joinable.splice(state.joinable.indexOf(node), 1);
      return;
    case 'running':
      if (node.agent !== null) {
        state.running.delete(node.id);
        leaveHooking(state, node);
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
  const isAnswer = state.questions.get(node.id)?.question === 'answer';
  closeQuestion(state, node);
  if (event.decision === 'denied') {
    const failure = denialOf(event);
    if (isAnswer && hookAnswer(state, node, { ok: false, failure })) return;
    beginFailing(state, node, failure);
    return;
  }
  if (node.after < event.seq) node.after = event.seq;
  if (event.decision === 'done') {
    const value = event.value ?? null;
    if (isAnswer && hookAnswer(state, node, { ok: true, value })) return;
    finishDone(state, node, value, '', event.seq);
    return;
  }
  node.approvedArgs = event.argsHash;
  makeReady(state, node);
}

function denialOf(event: EventOf<'approval.decided'>): Failure {
  return {
    code: 'policy_denied',
    class: 'POLICY',
    message:
      event.expired === true
        ? `nobody answered: ${event.reason ?? ''}`
        : `${event.by} denied it${event.reason === undefined ? '' : `: ${event.reason}`}`,
    details: { denied: true },
  };
}
