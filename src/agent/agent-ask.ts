import type { Message, OfferedTool } from '../contracts/model.ts';
import type { AgentAsk, AgentEnvironment } from './agent-decision.ts';
import type { AgentState, AskPurpose } from './agent-state.ts';
import { commandRepairRequest } from './command-repair.ts';
import { scoreRequest } from './completion.ts';
import { middleOf } from './compress.ts';
import { fitPrompt } from './fit-prompt.ts';
import { iterationsLeft } from './iteration-budget.ts';
import { listSteps } from './list-steps.ts';
import { promptLayers, recallLayer, withLayers } from './prompt-layers.ts';
import { repairMessages } from './repair-messages.ts';
import { summaryRequest } from './summary.ts';
import { describeStop, writeUpRequest } from './write-up.ts';

const ROLES: Record<AskPurpose, string> = {
  think: 'agent',
  repair: 'repairer',
  score: 'evaluator',
  summary: 'summarizer',
  final: 'finalizer',
};

/** Most characters of data in a question beside the conversation itself. */
const MOST_CONTEXT_CHARS = 100_000;

/** Room for the notices and for what an estimate misses. */
const MARGIN_TOKENS = 500;

/** What was recalled takes at most one part in so many of the window. */
const RECALL_SHARE = 4;

/** What an agent asks a model just now; null where it asks nothing. */
export function purposeNow(agent: AgentState): AskPurpose | null {
  const { phase, compression, reading } = agent;
  switch (phase) {
    case 'think':
      return agent.isRecalled && agent.errand === null ? 'think' : null;
    case 'act':
      return reading?.kind === 'unreadable' && reading.isRepairable && !agent.isRepaired ? 'repair' : null;
    case 'evaluate':
      if (compression !== null) return isSummaryOwed(agent) ? 'summary' : null;
      return isScoreOwed(agent) ? 'score' : null;
    case 'write_up':
      return agent.isFinalTried ? null : 'final';
    case 'briefing':
    case 'observe':
    case 'ended':
      return null;
  }
}

function isSummaryOwed({ compression }: AgentState): boolean {
  if (compression === null || !compression.areFiguresKept || !compression.plan.summarise) return false;
  return compression.answer === null && compression.failure === null;
}

/** A model is asked how far the task is only every few rounds, and only where no rule has said so. */
function isScoreOwed(agent: AgentState): boolean {
  const { scoreEvery } = agent.settings;
  if (!agent.isRoundOpen || scoreEvery === 0 || agent.round % scoreEvery !== 0) return false;
  if (agent.score !== null || agent.answerText !== null || agent.stopOwed !== null) return false;
  return agent.reading?.kind === 'calls';
}

/** Key of the question that is open, or that the agent asks next. */
export function askId(agent: AgentState): string {
  return agent.asking?.id ?? `${agent.key}/${agent.ordinal + 1}`;
}

/** The question of a purpose, built from the state; the same again for each of its tries. */
export function buildAsk(agent: AgentState, purpose: AskPurpose, environment: AgentEnvironment): AgentAsk {
  const base = {
    id: askId(agent),
    agent: agent.key,
    purpose,
    role: ROLES[purpose],
    isFinal: purpose === 'final',
  };
  const contextChars = Math.min(MOST_CONTEXT_CHARS, Math.max(2000, usableTokens(environment) - 2000));
  const { task, messages } = agent;
  switch (purpose) {
    case 'think':
      return { ...base, ...thinkRequest(agent, environment) };
    case 'repair': {
      const problem = agent.reading?.kind === 'unreadable' ? agent.reading.problem : '';
      return { ...base, ...commandRepairRequest(agent.answer?.text ?? '', problem) };
    }
    case 'score':
      return { ...base, ...scoreRequest(task, newestFirst(messages), Math.min(20_000, contextChars)) };
    case 'summary': {
      const plan = agent.compression?.plan ?? { head: 0, tail: 0 };
      return { ...base, ...summaryRequest(middleOf(messages, plan, task), contextChars) };
    }
    case 'final': {
      const end = agent.stop === null ? '' : describeStop(agent.stop.reason, agent.stop.detail);
      return { ...base, ...writeUpRequest({ task, steps: newestFirst(messages), end, contextChars }) };
    }
  }
}

function newestFirst(messages: readonly Message[]): ReturnType<typeof listSteps> {
  return listSteps(messages).toReversed();
}

function usableTokens({ windowTokens, maxOutputTokens }: AgentEnvironment): number {
  return Math.max(1, windowTokens - maxOutputTokens);
}

function thinkRequest(
  agent: AgentState,
  environment: AgentEnvironment,
): Pick<AgentAsk, 'messages' | 'tools'> {
  const { system, recalled } = agent;
  // A character is at most a token: what is recalled never takes more than its share of the window.
  const recallChars = Math.min(
    agent.settings.recallChars,
    Math.floor(usableTokens(environment) / RECALL_SHARE),
  );
  const settings = { ...agent.settings, recallChars };
  const tools = offeredTools(agent);
  const base = environment.estimateTokens({ messages: [{ role: 'system', content: system }], tools });
  const recall = recallLayer({ recalled, settings });
  const recallTokens =
    recall === '' ? 0 : environment.estimateTokens({ messages: [{ role: 'user', content: recall }] });
  const room = usableTokens(environment) - base - MARGIN_TOKENS - recallTokens;
  const estimate = (messages: readonly Message[]): number => environment.estimateTokens({ messages });
  const history = fitPrompt(agent.messages, agent.task, room, estimate);
  const layers = promptLayers({
    round: agent.round,
    iterationsLeft: iterationsLeft(agent.iterations),
    fill: (base + estimate(history)) / usableTokens(environment),
    recalled,
    settings,
  });
  return {
    messages: [{ role: 'system', content: system }, ...withLayers(history, layers)],
    ...(tools.length === 0 ? {} : { tools }),
  };
}

/** The tools as the model is offered them; none where it calls them by JSON in its text. */
function offeredTools({ settings, tools }: AgentState): OfferedTool[] {
  if (settings.style === 'json') return [];
  return [...tools.values()]
    .filter(({ name }) => name !== 'finish')
    .map(({ name, description, input }) => ({ name, description, input }));
}

/** What the next prompt would take, and what it may. */
export function measurePrompt(
  agent: AgentState,
  environment: AgentEnvironment,
): { readonly promptTokens: number; readonly usableTokens: number } {
  const messages: Message[] = [{ role: 'system', content: agent.system }, ...repairMessages(agent.messages)];
  const promptTokens = environment.estimateTokens({ messages, tools: offeredTools(agent) });
  return { promptTokens, usableTokens: usableTokens(environment) };
}
