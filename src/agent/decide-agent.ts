/*
 * The decisions of one exchange of an agent: THINK → ACT → OBSERVE → EVALUATE → (REPEAT | STOP). `decideAgent` is total
 * and pure: from the state and what the run says of itself it gives the next thing owed, or null where it waits.
 * Owned here: the order of steps, when an agent stops, what of a turn is run. Not here: which provider is asked, what
 * is reserved, retries of model calls, timers (run), nor how anything is done (engine).
 *
 * The seam to a run, all of it:
 * - In: `evolveCrew` folds the events of `contracts/agent-events` and those of the run whose key is below the agent's.
 * - Out: `decideCrew` gives a `log` (an event, perhaps with an effect), an `ask` (a model call, for which the run writes
 *   `model.requested` or `model.refused` under its id), or a `question` to a person (`approval.requested`).
 * - Beside: `AgentEnvironment` says what fits; `buildAsk` builds an open question once more for its next try;
 *   `slotsHeld` counts effects, so that a parent whose children work holds no slot; `nextAgentWake` is for the timer.
 *
 * 1. Nothing of a turn is run before the whole of it was read, and a turn that cannot be read runs nothing.
 * 2. A call is made only if the grant covers it and its arguments hold; an irreversible one only if a person says so.
 * 3. Every call ends with one outcome, and the history holds it behind its call, in call order.
 * 4. No single failure ends an agent: it is told to the model, or its round counts as failed.
 * 5. An agent that stops short of its goal makes one more call, without tools, which is reserved from its start.
 */
import type { StopReason } from '../contracts/agent.ts';
import type { Message } from '../contracts/model.ts';
import { cutText } from '../kernel/cut-text.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { purposeNow, buildAsk, measurePrompt } from './agent-ask.ts';
import type { AgentDecision, AgentEnvironment } from './agent-decision.ts';
import type { AgentState } from './agent-state.ts';
import { middleOf } from './compress.ts';
import { decideInterrupted, decideReading, decideTurn, observe } from './decide-turn.ts';
import { compressedMessages, finalText } from './evolve-agent.ts';
import { iterationsLeft } from './iteration-budget.ts';
import { listSteps } from './list-steps.ts';
import { interpretSummary } from './summary.ts';

const QUERY_CHARS = 4000;

/** What an agent owes next, or null where it waits or is at its end. */
export function decideAgent(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  if (agent.phase === 'ended') return null;
  if (agent.isInterrupted) {
    const owed = decideInterrupted(agent);
    return owed === 'waits' ? null : (owed ?? finish(agent, 'aborted', 'aborted'));
  }
  if (agent.asking !== null || agent.errand !== null) return null;
  switch (agent.phase) {
    case 'briefing':
      return {
        kind: 'log',
        event: { type: 'agent.requested', agent: agent.key, what: 'briefing' },
        effect: { kind: 'brief', agent: agent.key },
      };
    case 'think':
      return agent.isRecalled ? decideAsk(agent, environment) : requestRecall(agent);
    case 'act':
      return decideAct(agent, environment);
    case 'observe':
      return observe(agent);
    case 'evaluate':
      return decideEvaluate(agent, environment);
    case 'write_up':
      return decideWriteUp(agent, environment);
  }
}

function decideAsk(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  const purpose = purposeNow(agent);
  if (purpose === null || environment.freeSlots < 1) return null;
  return { kind: 'ask', ask: buildAsk(agent, purpose, environment) };
}

function requestRecall(agent: AgentState): AgentDecision {
  const said = agent.messages.findLast((message) => message.role === 'assistant')?.content ?? '';
  const query = said === '' ? agent.task : `${agent.task}\n${said}`;
  return {
    kind: 'log',
    event: { type: 'agent.requested', agent: agent.key, what: 'recall' },
    effect: { kind: 'recall', agent: agent.key, query: cutText(query, QUERY_CHARS) },
  };
}

function decideAct(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  if (agent.calls.length > 0) return decideTurn(agent, environment);
  if (purposeNow(agent) === 'repair' && environment.mayCall) return decideAsk(agent, environment);
  return decideReading(agent);
}

function decideEvaluate(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  if (agent.isRoundOpen) {
    if (purposeNow(agent) === 'score' && environment.mayCall) return decideAsk(agent, environment);
    return endRound(agent);
  }
  if (agent.answerText !== null) return finish(agent, 'completed', 'completed');
  const stop = stopReason(agent, environment);
  if (stop !== null) {
    return { kind: 'log', event: { type: 'agent.stopped', agent: agent.key, ...stop } };
  }
  if (agent.compression !== null) return decideCompression(agent, environment);
  if (environment.freeSlots < 1) return null;
  const compression = agent.isCompressionTried ? null : startCompression(agent, environment);
  if (compression !== null) return compression;
  return { kind: 'log', event: { type: 'round.started', agent: agent.key, round: agent.round + 1 } };
}

function endRound(agent: AgentState): AgentDecision {
  const completion = agent.answerText !== null ? 1 : typeof agent.score === 'number' ? agent.score : null;
  return {
    kind: 'log',
    event: {
      type: 'round.ended',
      agent: agent.key,
      round: agent.round,
      failed: hasFailed(agent),
      ...(completion === null ? {} : { completion }),
    },
  };
}

/** A round failed whose turn could not be had or read, or all of whose calls failed; what a person refused is no failure. */
function hasFailed({ reading, calls }: AgentState): boolean {
  if (reading === null || reading.kind === 'unreadable') return true;
  const own = calls.filter(({ isDenied }) => !isDenied);
  return own.length > 0 && own.every(({ outcome }) => outcome?.ok !== true);
}

function stopReason(
  agent: AgentState,
  { mayCall }: AgentEnvironment,
): { readonly reason: StopReason; readonly detail: string } | null {
  const { settings, stopOwed } = agent;
  if (stopOwed !== null) return { reason: stopOwed.reason, detail: stopOwed.detail };
  if (agent.completion !== null && agent.completion >= settings.completeAt) {
    return { reason: 'completed', detail: `completion ${agent.completion}` };
  }
  if (agent.failedRounds >= settings.failedRounds) {
    return { reason: 'failures', detail: `${agent.failedRounds} in a row` };
  }
  if (agent.round >= settings.rounds) return { reason: 'rounds', detail: `${settings.rounds} rounds` };
  if (iterationsLeft(agent.iterations) < 1) return { reason: 'iterations', detail: '' };
  return mayCall ? null : { reason: 'budget', detail: '' };
}

function startCompression(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  const { key, messages, task, settings } = agent;
  const { promptTokens, usableTokens } = measurePrompt(agent, environment);
  const plan = environment.context.plan({
    messages,
    request: task,
    promptTokens,
    usableTokens,
    settings,
    estimateTokens: (some) => environment.estimateTokens({ messages: some }),
  });
  if (plan === null) return null;
  return { kind: 'log', event: { type: 'compression.started', agent: key, ...plan, tokens: promptTokens } };
}

/** Figures go to memory first; then the middle is summarised, and only a summary that can be had takes its place. */
function decideCompression(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  const { compression, key } = agent;
  if (compression === null) return null;
  const { plan, answer } = compression;
  const middle = middleOf(agent.messages, plan, agent.task);
  if (!compression.areFiguresKept) {
    const texts = listSteps(middle).map(({ value }) => value);
    return {
      kind: 'log',
      event: { type: 'agent.requested', agent: key, what: 'figures' },
      effect: { kind: 'keepFigures', agent: key, texts },
    };
  }
  if (purposeNow(agent) === 'summary') return decideAsk(agent, environment);
  const read = answer === null ? null : interpretSummary(answer, middle);
  const reason = compression.failure ?? (read !== null && 'reason' in read ? read.reason : null);
  if (reason !== null) return { kind: 'log', event: { type: 'compression.failed', agent: key, reason } };
  const after = compressedMessages(agent);
  return {
    kind: 'log',
    event: {
      type: 'context.compressed',
      agent: key,
      generation: agent.generation + 1,
      before: agent.messages.length,
      after: after.length,
      digest: digestOf(after),
    },
  };
}

function digestOf(messages: readonly Message[]): string {
  return hashJson(messages as unknown as Json);
}

function decideWriteUp(agent: AgentState, environment: AgentEnvironment): AgentDecision | null {
  if (purposeNow(agent) === 'final') return decideAsk(agent, environment);
  const reason = agent.stop?.reason ?? 'completed';
  return finish(agent, reason, reason === 'completed' && agent.answerText !== null ? 'completed' : 'partial');
}

function finish(
  agent: AgentState,
  reason: StopReason,
  status: 'completed' | 'partial' | 'aborted',
): AgentDecision {
  return {
    kind: 'log',
    event: {
      type: 'agent.finished',
      agent: agent.key,
      reason,
      status,
      answer: hashJson(finalText(agent, reason)),
    },
  };
}
