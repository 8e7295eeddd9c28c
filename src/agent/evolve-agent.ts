/*
 * The fold of one exchange of an agent: deterministic, without I/O, in place. What is decided is decided in
 * `decideAgent`; here is only what follows from an event. An answer that comes after an interruption changes nothing.
 */
import { answerFailure } from '../contracts/answer-failure.ts';
import type { AgentEventOf } from '../contracts/agent-events.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelAnswer } from '../contracts/model.ts';
import { askId, purposeNow } from './agent-ask.ts';
import type { AgentInput } from './agent-decision.ts';
import type { AgentState } from './agent-state.ts';
import { interpretScore } from './completion.ts';
import { compressMessages, middleOf } from './compress.ts';
import {
  amendCall,
  answerLocally,
  decideConsent,
  failCall,
  hookCall,
  observeRound,
  readAnswer,
  readRepaired,
  refuseCall,
  returnCall,
  scheduleCall,
  startCall,
  takeTurn,
} from './evolve-turn.ts';
import { refundIteration, takeIteration } from './iteration-budget.ts';
import { interpretSummary } from './summary.ts';
import { buildSystemPrompt } from './system-prompt.ts';
import { describeStop, listFindings } from './write-up.ts';
import { listSteps } from './list-steps.ts';

/** Folds the next event into the state of an agent, in place. */
export function evolveAgent(agent: AgentState, event: AgentInput): void {
  switch (event.type) {
    case 'agent.started':
      throw new TypeError('agent.started is only the first event of an agent');
    case 'agent.requested':
      agent.errand = event.what;
      return;
    case 'agent.briefed':
      briefAgent(agent, event);
      return;
    case 'agent.recalled':
      agent.errand = null;
      agent.isRecalled = true;
      agent.recalled = event.text;
      return;
    case 'round.started':
      startRound(agent, event);
      return;
    case 'model.requested':
      startAsk(agent, event.key);
      return;
    case 'model.answered':
      answerAsk(agent, event.key, event.answer);
      return;
    case 'model.refused':
      refuseAsk(agent, event.key);
      return;
    case 'ask.failed':
      failAsk(agent, event.key, event.failure);
      return;
    case 'turn.read':
      takeTurn(agent, event);
      return;
    case 'call.started':
      startCall(agent, event);
      return;
    case 'call.returned':
      returnCall(agent, event.key, { ok: true, value: event.value });
      return;
    case 'call.failed':
      failCall(agent, event);
      return;
    case 'retry.scheduled':
      scheduleCall(agent, event.key, event.at + event.delayMs);
      return;
    case 'call.amended':
      amendCall(agent, event);
      return;
    case 'call.hooked':
      hookCall(agent, event);
      return;
    case 'call.refused':
      refuseCall(agent, event);
      return;
    case 'call.answered':
      answerLocally(agent, event.key);
      return;
    case 'approval.requested':
    case 'approval.decided':
      decideConsent(agent, event);
      return;
    case 'round.observed':
      observeRound(agent);
      return;
    case 'compression.started':
      agent.compression = { plan: event, areFiguresKept: false, answer: null, failure: null };
      return;
    case 'figures.kept':
      agent.errand = null;
      if (agent.compression !== null) agent.compression.areFiguresKept = true;
      return;
    case 'context.compressed':
      agent.messages = compressedMessages(agent);
      agent.generation = event.generation;
      endCompression(agent);
      return;
    case 'compression.failed':
      endCompression(agent);
      return;
    case 'round.ended':
      endRound(agent, event);
      return;
    case 'agent.stopped':
      agent.stopOwed = null;
      agent.stop = { reason: event.reason, detail: event.detail };
      agent.phase = 'write_up';
      return;
    case 'agent.interrupted':
      interruptAgent(agent);
      return;
    case 'agent.finished':
      finishAgent(agent, event);
      return;
  }
}

function briefAgent(agent: AgentState, { briefing }: AgentEventOf<'agent.briefed'>): void {
  agent.errand = null;
  agent.briefing = briefing;
  agent.memory = briefing.memory;
  agent.memoryBefore = briefing.memory;
  agent.phase = 'evaluate';
  agent.system = systemPrompt(agent);
}

/** The system prompt of an agent, from its briefing where it has one. */
export function systemPrompt(agent: AgentState): string {
  return buildSystemPrompt({
    isChild: agent.parent !== null,
    briefing: agent.briefing ?? { memory: [], files: [] },
    systemMessage: agent.systemMessage,
    tools: [...agent.tools.values()],
    settings: agent.settings,
  });
}

function startRound(agent: AgentState, { round }: AgentEventOf<'round.started'>): void {
  agent.phase = 'think';
  agent.round = round;
  agent.isRoundOpen = true;
  takeIteration(agent.iterations);
  agent.recalled = '';
  agent.isRecalled = agent.settings.recallChars === 0 || agent.parent !== null;
  agent.answer = null;
  agent.reading = null;
  agent.isRepaired = false;
  agent.calls = [];
  agent.score = null;
}

function startAsk(agent: AgentState, key: string): void {
  if (agent.asking !== null) return;
  const purpose = purposeNow(agent);
  if (purpose === null || baseKey(key) !== askId(agent)) return;
  agent.ordinal++;
  agent.asking = { id: baseKey(key), purpose };
}

/** The key of a call without the ordinal of its try. */
export function baseKey(key: string): string {
  return key.replace(/#\d+$/, '');
}

/** The purpose of the question that ended, or null where nobody waits for it any more. */
function closeAsk(agent: AgentState, key: string): NonNullable<AgentState['asking']>['purpose'] | null {
  const { asking } = agent;
  if (asking === null || asking.id !== baseKey(key)) return null;
  agent.asking = null;
  return asking.purpose;
}

function answerAsk(agent: AgentState, key: string, answer: ModelAnswer): void {
  const purpose = closeAsk(agent, key);
  switch (purpose) {
    case null:
      return;
    case 'think':
      readAnswer(agent, answer);
      return;
    case 'repair':
      readRepaired(agent, answer);
      return;
    case 'score':
      agent.score = interpretScore(answer.text) ?? 'failed';
      return;
    case 'summary':
      if (agent.compression !== null) agent.compression.answer = answer;
      return;
    case 'final':
      agent.isFinalTried = true;
      if (answerFailure(answer) === null) agent.answerText = answer.text.trim() || null;
  }
}

/** Folds that a question was not made for want of budget: its round is given back, and no more are begun. */
function refuseAsk(agent: AgentState, key: string): void {
  if (agent.asking === null) startAsk(agent, key);
  const purpose = closeAsk(agent, key);
  if (purpose === null) return;
  if (purpose === 'think') refundIteration(agent.iterations);
  if (purpose !== 'final') agent.stopOwed ??= { reason: 'budget', detail: `${purpose} does not fit` };
  endWithoutAnswer(agent, purpose, 'it does not fit the budget');
}

function failAsk(agent: AgentState, key: string, failure: Failure): void {
  const purpose = closeAsk(agent, key);
  if (purpose === null) return;
  if (failure.class === 'POLICY') agent.stopOwed ??= { reason: 'policy', detail: failure.message };
  endWithoutAnswer(agent, purpose, failure.message);
}

function endWithoutAnswer(
  agent: AgentState,
  purpose: NonNullable<AgentState['asking']>['purpose'],
  reason: string,
): void {
  switch (purpose) {
    case 'think':
      // The round failed; the next one asks again.
      agent.phase = 'evaluate';
      return;
    case 'repair':
      agent.isRepaired = true;
      return;
    case 'score':
      agent.score = 'failed';
      return;
    case 'summary':
      if (agent.compression !== null) agent.compression.failure = reason;
      return;
    case 'final':
      agent.isFinalTried = true;
  }
}

/** The history that a compression under way leads to. */
export function compressedMessages(agent: AgentState): AgentState['messages'] {
  const { compression, messages, task, todos } = agent;
  if (compression === null) return messages;
  const { plan, answer } = compression;
  const read = answer === null ? null : interpretSummary(answer, middleOf(messages, plan, task));
  const summary = read !== null && 'summary' in read ? read.summary : null;
  return compressMessages(messages, plan, { summary, request: task, todos });
}

function endCompression(agent: AgentState): void {
  agent.compression = null;
  agent.isCompressionTried = true;
}

function endRound(agent: AgentState, { failed, completion }: AgentEventOf<'round.ended'>): void {
  agent.isRoundOpen = false;
  agent.isCompressionTried = false;
  agent.failedRounds = failed ? agent.failedRounds + 1 : 0;
  agent.completion = completion ?? null;
}

/** What is under way is cut off: its answers are not waited for and never enter the history. */
function interruptAgent(agent: AgentState): void {
  if (agent.phase === 'ended') return;
  agent.isInterrupted = true;
  agent.asking = null;
  agent.errand = null;
}

function finishAgent(agent: AgentState, event: AgentEventOf<'agent.finished'>): void {
  agent.answerText = finalText(agent, event.reason);
  const last = agent.messages.at(-1);
  const isSaid = last?.role === 'assistant' && last.toolCalls === undefined;
  // An answer that was spoken is in the history already; a write-up is what the agent says last.
  if (event.status !== 'aborted' && !isSaid) {
    agent.messages.push({ role: 'assistant', content: agent.answerText });
  }
  agent.finished = event;
  agent.phase = 'ended';
}

/** What an agent leaves behind: its answer, its write-up, or a list of its findings where neither could be had. */
export function finalText(agent: AgentState, reason: AgentEventOf<'agent.finished'>['reason']): string {
  if (agent.answerText !== null) return agent.answerText;
  return listFindings(listSteps(agent.messages), describeStop(reason, agent.stop?.detail ?? ''));
}

/** Folds that another process took the run up: what was under way begins again, and what may not is looked into. */
export function resumeAgent(agent: AgentState): void {
  agent.errand = null;
  for (const call of agent.calls) {
    if (call.status !== 'running' || call.hasChild) continue;
    failCall(agent, {
      type: 'call.failed',
      agent: agent.key,
      key: call.key,
      failure: { code: 'aborted', class: 'PERMANENT', message: 'its process ended' },
    });
  }
}
