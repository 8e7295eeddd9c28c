import { costMicroUsd } from '../budget/prices.ts';
import { reserve, settle } from '../budget/ledger.ts';
import type { Reservation } from '../contracts/budget.ts';
import type { AskRequest, Usage } from '../contracts/model.ts';
import type { EventOf } from '../flight/events.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import type { Json } from '../kernel/json.ts';
import { interpretAsk } from '../worker/ask.ts';
import { answerAtHand, keepAnswer } from './answers-at-hand.ts';
import { agentBehind, agentCall, isToolUnderWay } from './crew-state.ts';
import { purposeOf, tryKey } from './effect-key.ts';
import type { ModelCall, RunState } from './state.ts';

/** Folds a question of a tool: it is owed a model call. */
export function receiveAsk(state: RunState, event: EventOf<'ask.received'>): void {
  const node = state.nodes.get(event.node);
  if (node !== undefined) node.asks++;
  const known = answerAtHand(state, event.node, event.key);
  if (known?.role === event.role && isSameQuestion(known.request, event.request)) {
    state.reusable.push({ key: event.key, node: event.node });
    return;
  }
  const call = createCall(event.key, event.role, event.node, event.request, 'ask');
  state.calls.set(call.id, call);
  state.openCalls.push(call);
}

function isSameQuestion(a: AskRequest, b: AskRequest): boolean {
  return canonicalJson(a as unknown as Json) === canonicalJson(b as unknown as Json);
}

function createCall(
  id: string,
  role: string,
  node: string,
  ask: ModelCall['ask'],
  purpose: ModelCall['purpose'],
): ModelCall {
  return {
    id,
    purpose,
    role,
    node,
    ask,
    isWidened: false,
    tries: 0,
    link: 0,
    triesHere: 0,
    provider: '',
    status: 'due',
    dueAt: 0,
    model: '',
    reserved: {},
    answer: null,
    failure: null,
    draw: 0,
  };
}

/** Lets go of a call, and of what was recalled for it. */
export function removeCall(state: RunState, id: string): void {
  state.calls.delete(id);
  state.memory.recalls.delete(id);
}

/** The call of a try's key. */
export function callOfTry(state: RunState, key: string): ModelCall | undefined {
  const known = state.calls.get(key);
  if (known !== undefined) return known;
  const cut = key.lastIndexOf('#');
  return cut < 0 ? undefined : state.calls.get(key.slice(0, cut));
}

/** Folds the start of a model call. */
export function startCall(state: RunState, event: EventOf<'model.requested'>): void {
  let call = callOfTry(state, event.key);
  if (call === undefined) {
    call = createCall(event.key, event.role, event.node ?? '', null, purposeIn(state, event.key));
    state.calls.set(call.id, call);
    if (call.purpose === 'plan') state.planCalls++;
  } else {
    removeOpen(state, call);
  }
  call.tries++;
  call.triesHere++;
  call.link = event.link;
  call.provider = event.provider;
  call.status = 'running';
  call.model = event.model;
  call.reserved = event.reserved;
  call.answer = null;
  call.failure = null;
  reserve(state.ledger, event.reserved);
  state.runningCalls.set(tryKey(call.id, call.tries), call);
}

function removeOpen(state: RunState, call: ModelCall): void {
  const index = state.openCalls.indexOf(call);
  if (index >= 0) state.openCalls.splice(index, 1);
}

/** Folds an answer: what was really used is booked. */
export function answerCall(state: RunState, event: EventOf<'model.answered'>): void {
  const call = takeRunning(state, event.key);
  if (call === undefined) return;
  const { usage } = event.answer;
  const used = usedBy(state, call, usage);
  settle(state.ledger, call.reserved, used);
  noteOverrun(state, event.key, call.reserved, used);
  call.status = 'answered';
  call.answer = event.answer;
  if (call.purpose === 'agent') removeCall(state, call.id);
  if (call.ask === null) return;
  const outcome = interpretAsk(event.answer, call.ask.format);
  if (outcome.ok) {
    removeCall(state, call.id);
    keepAnswer(state, call.node, call.id, { role: call.role, request: call.ask, answer: event.answer });
    return;
  }
  failAsked(state, call, outcome.failure);
}

/** A call failed: a decision about it is owed, unless the node that asked has ended. */
function failAsked(state: RunState, call: ModelCall, failure: ModelCall['failure']): void {
  if (!isAwaited(state, call)) {
    removeCall(state, call.id);
    return;
  }
  call.status = 'failing';
  call.failure = failure;
  state.openCalls.push(call);
}

/** Whether whoever asks still waits for the answer; the run's own calls are always awaited. */
function isAwaited(state: RunState, call: ModelCall): boolean {
  if (call.purpose === 'agent') return agentBehind(state, call.id)?.asking?.id === call.id;
  if (call.ask === null) return true;
  return state.nodes.get(call.node)?.status === 'running' || isToolUnderWay(agentCall(state, call.node));
}

/** Folds the end of a node's attempt: nobody waits for what it asked. */
export function dropAsks(state: RunState, node: string): void {
  if (state.openCalls.length === 0) return;
  state.openCalls = state.openCalls.filter((call) => {
    const isDropped = call.ask !== null && call.node === node;
    if (isDropped) removeCall(state, call.id);
    return !isDropped;
  });
}

function takeRunning(state: RunState, key: string): ModelCall | undefined {
  const call = state.runningCalls.get(key);
  state.runningCalls.delete(key);
  return call;
}

/** What a call used, by its figures; they count in what the run used. */
function usedBy(state: RunState, call: ModelCall, usage: Usage): Reservation {
  const price = state.task.prices[call.model];
  if (price === undefined && usage.inputTokens + usage.outputTokens > 0) state.hasUnknownCost = true;
  state.usedTokens.input += usage.inputTokens;
  state.usedTokens.output += usage.outputTokens;
  return {
    llmCalls: 1,
    tokens: usage.inputTokens + usage.outputTokens,
    costMicroUsd: price === undefined ? 0 : costMicroUsd(usage, price),
  };
}

function noteOverrun(state: RunState, key: string, reserved: Reservation, used: Reservation): void {
  for (const amount of ['tokens', 'costMicroUsd'] as const) {
    const limit = reserved[amount];
    const taken = used[amount];
    const isLimited = state.ledger.limits[amount] !== Infinity;
    if (isLimited && limit !== undefined && taken !== undefined && taken > limit) {
      const dimension = amount === 'tokens' ? 'tokens' : 'costUsd';
      state.overrunOwed = { type: 'budget.overrun', key, dimension, reserved: limit, used: taken };
      return;
    }
  }
}

/** Failures after which the provider may have charged for the call: it is booked at what it reserved. */
const PERHAPS_CHARGED: ReadonlySet<string> = new Set(['timeout', 'aborted']);

/** Folds the failure of a model call: the call counts, its tokens only where they may have been charged. */
export function failCall(state: RunState, event: EventOf<'model.failed'>): void {
  const call = takeRunning(state, event.key);
  if (call === undefined) return;
  const used = usedByFailed(state, call, event);
  settle(state.ledger, call.reserved, used);
  noteOverrun(state, event.key, call.reserved, used);
  call.draw = event.draw ?? 0;
  failAsked(state, call, event.failure);
}

/** What a failed call is booked at: what is known to have been used, else what may have been. */
function usedByFailed(
  state: RunState,
  call: ModelCall,
  { usage, failure }: EventOf<'model.failed'>,
): Reservation {
  if (usage !== undefined) return usedBy(state, call, usage);
  return PERHAPS_CHARGED.has(failure.code) ? assumeAll(state, call) : { llmCalls: 1 };
}

/** All that a call had reserved: what it may have used where nobody knows. */
export function assumeAll(state: RunState, { reserved }: ModelCall): Reservation {
  if (reserved.costMicroUsd === undefined) state.hasUnknownCost = true;
  return reserved;
}

/** Folds the refusal of a model call for want of budget. */
export function refuseCall(state: RunState, event: EventOf<'model.refused'>): void {
  state.stop ??= { by: 'budget', reason: `${event.dimension}: ${event.role} call ${event.key} does not fit` };
  const call = callOfTry(state, event.key);
  if (call === undefined) {
    const purpose = purposeIn(state, event.key);
    if (purpose === 'agent') return;
    const refused = createCall(event.key, event.role, event.node ?? '', null, purpose);
    refused.status = 'refused';
    state.calls.set(refused.id, refused);
    return;
  }
  call.status = 'refused';
  removeOpen(state, call);
  if (call.purpose === 'ask' || call.purpose === 'agent') removeCall(state, call.id);
}

function purposeIn(state: RunState, id: string): ModelCall['purpose'] {
  return agentBehind(state, id) === undefined ? purposeOf(id) : 'agent';
}

/** Folds the end of a call that its asker was told of; no such call is no fault. */
export function closeCall(state: RunState, id: string): void {
  const call = state.calls.get(id);
  if (call === undefined) return;
  removeOpen(state, call);
  removeCall(state, id);
}

/** Folds the choice of the next provider of a chain; one without quota is left alone for a while. */
export function fallBack(state: RunState, event: EventOf<'fallback.chosen'>): void {
  if (event.reason === 'model_quota') state.cooling.set(event.from, event.at + state.task.limits.cooldownMs);
  const call = callOfTry(state, event.key);
  if (call === undefined) return;
  call.link = event.link;
  call.triesHere = 0;
  call.status = 'due';
  call.dueAt = 0;
}

/** Folds the fetching of a fresh key, and its outcome: the call is made again, or goes on to the next provider. */
export function refreshCredential(
  state: RunState,
  event: EventOf<'credential.requested'> | EventOf<'credential.refreshed'>,
): void {
  const call = callOfTry(state, event.key);
  if (event.type === 'credential.requested') {
    state.refreshes.set(event.provider, (state.refreshes.get(event.provider) ?? 0) + 1);
    if (call === undefined) return;
    call.status = 'refreshing';
    removeOpen(state, call);
    return;
  }
  // One that cannot be refreshed is not tried again.
  if (event.failure !== undefined) state.refreshes.set(event.provider, Infinity);
  if (call?.status !== 'refreshing') return;
  call.status = event.failure === undefined ? 'due' : 'failing';
  // The try with the old key was none of those that transient failures may take.
  if (event.failure === undefined) call.triesHere--;
  call.dueAt = 0;
  state.openCalls.push(call);
}
