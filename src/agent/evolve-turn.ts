import type { AgentEventOf } from '../contracts/agent-events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { Message, ModelAnswer } from '../contracts/model.ts';
import { cutText } from '../kernel/cut-text.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import type { AgentInput } from './agent-decision.ts';
import { type AgentCall, type AgentState, callOf, isRepeatableCall } from './agent-state.ts';
import { isChildTool } from './agent-tools.ts';
import { callSignature, findThirdOutcome, noteCall } from './call-history.ts';
import { childEffect, textField } from './delegation.ts';
import { applyLocal } from './local-tools.ts';
import { readText, readTurn, type TurnContext } from './read-turn.ts';
import { UNKNOWN_OUTCOME } from './repair-messages.ts';
import { type CallOutcome, resultSection, resultText } from './result-text.ts';
import { segmentCalls } from './segments.ts';

const UNREADABLE_CHARS = 4000;

/** First results that are kept to be shown again, and how much of each. */
const MOST_RESULTS = 200;
const RESULT_SHOWN = 4000;

/** Folds the model's answer to THINK: what the turn is follows from it. */
export function readAnswer(agent: AgentState, answer: ModelAnswer): void {
  agent.answer = answer;
  agent.reading = readTurn(answer, turnContext(agent));
  agent.phase = 'act';
}

/** Folds the mended form of a turn that could not be read; where it is none either, the turn stays unreadable. */
export function readRepaired(agent: AgentState, answer: ModelAnswer): void {
  agent.isRepaired = true;
  const reading =
    answer.stop === 'stop' ? readText(answer.text, { ...turnContext(agent), style: 'json' }) : null;
  if (reading?.kind === 'calls') agent.reading = reading;
}

function turnContext(agent: AgentState): TurnContext {
  const { key, settings, messages } = agent;
  const first = agent.ordinal + 1;
  return {
    style: settings.style,
    callsPerTurn: settings.callsPerTurn,
    usedIds: new Set(
      messages.flatMap((message) =>
        message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
      ),
    ),
    idFor: (index) => `${key}_${first + index}`.replaceAll(/[^\w-]/g, '_'),
  };
}

/** The calls of the turn that was read, with their keys and segments. */
export function planCalls(agent: AgentState): AgentCall[] {
  const { reading } = agent;
  if (reading?.kind !== 'calls') return [];
  const traits = reading.calls.map(({ name, args }) => {
    const spec = agent.tools.get(name);
    const effect = isChildTool(name) ? childEffect(agent, name, args) : (spec?.effect ?? 'read');
    return { effect, isInteractive: spec?.interactive === true };
  });
  const segments = segmentCalls(traits);
  return reading.calls.map(({ id, name, args }, index) => ({
    id,
    key: `${agent.key}/${agent.ordinal + 1 + index}`,
    tool: name,
    args,
    segment: segments[index] ?? 0,
    effect: traits[index]?.effect ?? 'read',
    signature: callSignature(name, args),
    status: 'due',
    attempt: 0,
    dueAt: 0,
    draw: 0,
    isApproved: false,
    isStanding: false,
    isAmended: false,
    isHooked: false,
    isDenied: false,
    isDoubtful: false,
    hasChild: false,
    failure: null,
    outcome: null,
  }));
}

/** Folds the turn into the history: its calls are owed, or it was an answer, or it runs nothing and is told why. */
export function takeTurn(agent: AgentState, event: AgentEventOf<'turn.read'>): void {
  const { reading, answer } = agent;
  if (reading === null || answer === null) return;
  switch (reading.kind) {
    case 'calls':
      agent.calls = planCalls(agent);
      agent.ordinal += agent.calls.length;
      agent.messages.push(assistantTurn(agent, answer));
      return;
    case 'answer':
      agent.messages.push(spoken(answer, answer.text.trim()));
      agent.answerText = reading.text;
      agent.phase = 'evaluate';
      return;
    case 'unreadable':
      if (answer.text.trim() !== '')
        agent.messages.push(spoken(answer, cutText(answer.text, UNREADABLE_CHARS)));
      agent.messages.push({ role: 'user', content: feedback(event.problem ?? reading.problem) });
      agent.phase = 'evaluate';
  }
}

function assistantTurn(agent: AgentState, answer: ModelAnswer): Message {
  if (!isNative(agent)) return spoken(answer, answer.text.trim());
  const toolCalls = agent.calls.map(({ id, tool, args }) => ({ id, name: tool, args }));
  return { ...spoken(answer, answer.text), toolCalls };
}

/** True where calls and results stand in the history as the API has them, and not as texts. */
function isNative({ settings, answer }: AgentState): boolean {
  return settings.style === 'tools' || (answer?.toolCalls?.length ?? 0) > 0;
}

function spoken({ reasoning }: ModelAnswer, content: string): Extract<Message, { role: 'assistant' }> {
  return { role: 'assistant', content, ...(reasoning === undefined ? {} : { reasoning }) };
}

function feedback(problem: string): string {
  return `[error] Your last turn could not be read, so nothing was executed: ${problem}. Answer again.`;
}

/** Folds the start of an attempt of a call. */
export function startCall(agent: AgentState, event: AgentEventOf<'call.started'>): void {
  const call = callOf(agent, event.key);
  if (call === undefined) return;
  call.status = 'running';
  call.attempt = event.attempt;
  call.isStanding = event.standing === true;
  if (call.isStanding) agent.authorised--;
}

/** Folds other arguments of a call that was not made: it is owed anew, and no consent to those before covers it. */
export function amendCall(agent: AgentState, event: AgentEventOf<'call.amended'>): void {
  const call = callOf(agent, event.key);
  if (call?.status !== 'running') return;
  if (call.isStanding) agent.authorised++;
  changeArgs(call, event.args);
  call.attempt--;
  call.status = 'due';
}

/** Folds the outcome of a call. When the last one of the turn has its own, the results can be observed. */
export function returnCall(agent: AgentState, key: string, outcome: CallOutcome): void {
  const call = callOf(agent, key);
  if (call === undefined || call.status === 'ended') return;
  call.status = 'ended';
  call.outcome = outcome;
  if (outcome.ok && agent.tools.get(call.tool)?.openWorld === true) noteOpenWorld(agent, [key]);
  noteCall(agent.history, {
    key,
    signature: call.signature,
    outcome: hashJson(outcome.ok ? outcome.value : outcome.failure.message),
    effect: call.effect,
    ok: outcome.ok,
  });
  if (!agent.results.has(call.signature) && agent.results.size < MOST_RESULTS) {
    agent.results.set(call.signature, resultText(outcome, RESULT_SHOWN));
  }
  const repetition = findThirdOutcome(agent.history, call.signature);
  if (repetition !== null) {
    agent.stopOwed ??= { reason: repetition.kind, detail: `${call.tool}, as in ${repetition.first.key}` };
  }
  if (agent.calls.every(({ status }) => status === 'ended')) agent.phase = 'observe';
}

/** Folds the outcome of a call that no code outside has made: hooks that were asked before it are asked after it too. */
export function settleOwn(agent: AgentState, key: string, outcome: CallOutcome): void {
  const call = callOf(agent, key);
  if (call === undefined || call.status === 'ended') return;
  if (!call.isHooked) {
    returnCall(agent, key, outcome);
    return;
  }
  call.outcome = outcome;
  call.status = 'hooking';
}

/** Folds what hooks say of such a call: before it they may stop or change it, after it give it another result. */
export function hookCall(agent: AgentState, event: AgentEventOf<'call.hooked'>): void {
  agent.errand = null;
  const call = callOf(agent, event.key);
  if (call === undefined || call.status === 'ended') return;
  const { args, failure, value } = event;
  if (event.when === 'after') {
    const { outcome } = call;
    if (outcome === null) return;
    returnCall(agent, call.key, value === undefined || !outcome.ok ? outcome : { ok: true, value });
    return;
  }
  call.isHooked = true;
  const blocked = failure ?? (args === undefined ? null : effectFault(agent, call, args));
  if (blocked !== null) {
    const reason = blocked.code === 'budget_refused' ? 'budget' : 'policy';
    agent.stopOwed ??= { reason, detail: blocked.message };
    returnCall(agent, call.key, { ok: false, failure: blocked });
  } else if (args !== undefined) changeArgs(call, args);
}

/** What stands beside a call was decided by its effect: other arguments may not give it another. */
function effectFault(agent: AgentState, { tool, effect }: AgentCall, args: Json): Failure | null {
  if (!isChildTool(tool) || childEffect(agent, tool, args) === effect) return null;
  const message = `preToolCall: its arguments hand work on that does not only ${effect} any more`;
  return { code: 'policy_denied', class: 'POLICY', message, details: { hook: true } };
}

/** No consent to the arguments before covers these. */
function changeArgs(call: AgentCall, args: Json): void {
  call.isStanding = false;
  call.isApproved = false;
  call.isAmended = true;
  call.args = args;
  call.signature = callSignature(call.tool, args);
}

/** Calls that are named as where something came from, the first ones. */
const MOST_NAMED = 20;

/** Notes that something from the open world has entered the history. */
export function noteOpenWorld(agent: AgentState, keys: readonly string[]): void {
  if (keys.length > 0) agent.openWorld = [...agent.openWorld, ...keys].slice(0, MOST_NAMED);
}

/** Folds a failed attempt: it is made again, or its outcome is asked for, or the failure is the outcome. */
export function failCall(agent: AgentState, event: AgentEventOf<'call.failed'>): void {
  const call = callOf(agent, event.key);
  if (call?.status !== 'running') return;
  const { failure } = event;
  call.failure = failure;
  call.draw = event.draw ?? 0;
  const isUnknown = failure.code === 'timeout' || failure.code === 'aborted';
  const isRepeatable = isRepeatableCall(agent, call);
  if (isUnknown && call.effect === 'irreversible' && !agent.isInterrupted) {
    call.isDoubtful = true;
    call.status = 'due';
    return;
  }
  if (failure.code === 'aborted' && isRepeatable && !agent.isInterrupted) {
    call.status = 'due';
    return;
  }
  if (failure.class === 'TRANSIENT' && isRepeatable && call.attempt < agent.settings.callAttempts) {
    call.status = 'failing';
    return;
  }
  if (failure.class === 'POLICY') agent.stopOwed ??= { reason: 'policy', detail: failure.message };
  returnCall(agent, call.key, {
    ok: false,
    failure: isUnknown && !isRepeatable ? { ...failure, code: 'aborted', message: UNKNOWN_OUTCOME } : failure,
  });
}

/** Folds the delay before the next attempt of a call. */
export function scheduleCall(agent: AgentState, key: string, dueAt: number): void {
  const call = callOf(agent, key);
  if (call?.status !== 'failing') return;
  call.status = 'due';
  call.dueAt = dueAt;
}

/** Folds that a call is not made: its failure is the result that the model reads. */
export function refuseCall(agent: AgentState, event: AgentEventOf<'call.refused'>): void {
  const call = callOf(agent, event.key);
  if (call === undefined) return;
  if (event.repeats !== undefined) {
    const reason = event.failure.details?.['kind'] === 'repeated_cycle' ? 'repeated_cycle' : 'repeated_call';
    agent.stopOwed ??= { reason, detail: `${call.tool}, as in ${event.repeats}` };
  } else if (event.failure.code === 'budget_refused' && !isChildTool(call.tool)) {
    agent.stopOwed ??= { reason: 'budget', detail: event.failure.message };
  }
  returnCall(agent, event.key, { ok: false, failure: event.failure });
}

/** Folds the result of a tool that lives in the agent itself; it follows from the state. */
export function answerLocally(agent: AgentState, key: string): void {
  const call = callOf(agent, key);
  if (call === undefined) return;
  const applied = applyLocal(agent, call);
  if (!applied.ok) throw new TypeError(`the call ${key} was answered but cannot be`);
  applied.commit();
  if (call.tool === 'finish') agent.answerText = textField(call.args, 'answer');
  settleOwn(agent, key, { ok: true, value: applied.value });
}

/** Folds a question to a person about a call, and what they say. */
export function decideConsent(
  agent: AgentState,
  event: Extract<AgentInput, { type: 'approval.requested' | 'approval.decided' }>,
): void {
  const call = callOf(agent, event.call);
  if (call === undefined || call.status === 'ended') return;
  if (event.type === 'approval.requested') {
    call.status = 'asking';
    return;
  }
  switch (event.decision) {
    case 'approved':
      call.status = 'due';
      call.isApproved = true;
      call.isDoubtful = false;
      agent.authorised += event.next ?? 0;
      return;
    case 'done':
      settleOwn(agent, call.key, { ok: true, value: event.value ?? null });
      return;
    case 'denied': {
      const said = event.reason === undefined ? '' : `, and says: ${event.reason}`;
      const message = call.isDoubtful
        ? `a person says that this call was not made${said}`
        : `a person did not allow this call${said}. It was not made`;
      call.isDenied = true;
      returnCall(agent, call.key, {
        ok: false,
        failure: { code: 'policy_denied', class: 'POLICY', message },
      });
    }
  }
}

/** Folds the results of the turn into the history, in call order. */
export function observeRound(agent: AgentState): void {
  for (const call of agent.calls) {
    const content = observedText(agent, call);
    if (isNative(agent)) agent.messages.push({ role: 'tool', toolCallId: call.id, content });
    else agent.messages.push({ role: 'user', content: resultSection(call.tool, content) });
  }
  agent.phase = 'evaluate';
}

/** What the model reads of a call. */
export function observedText(agent: AgentState, call: AgentCall): string {
  return call.outcome === null ? '' : resultText(call.outcome, agent.settings.resultChars);
}
