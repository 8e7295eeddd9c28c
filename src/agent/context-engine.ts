import type { AgentSettings } from '../contracts/agent.ts';
import type { Message } from '../contracts/model.ts';
import { clearResults, type CompressionPlan, isSummary, keptTail, middleOf } from './compress.ts';

/** What a context engine looks at. Token counts are estimates. */
export interface ContextView {
  readonly messages: readonly Message[];
  /** The last request of the person, which no compression takes away. */
  readonly request: string;
  /** What the next prompt would take with these messages, system prompt and tools included. */
  readonly promptTokens: number;
  /** The window of the model without the room for its answer. */
  readonly usableTokens: number;
  readonly settings: Pick<AgentSettings, 'compressAt' | 'compressHardAt' | 'keepFirst' | 'keepLast'>;
  estimateTokens(messages: readonly Message[]): number;
}

/** What decides when and where a history is compressed. Pure: a replay asks it again and gets the same answer. */
export interface ContextEngine {
  readonly name: string;
  /** The plan, or null where the history fits or nothing of it may go. */
  plan(view: ContextView): CompressionPlan | null;
}

/** Below this share of the threshold, or so many tokens, a middle is not worth a summary: the next round would owe another. */
const LEAST_SHARE = 0.1;
const LEAST_TOKENS = 500;

/** The default: by the share of the window that the next prompt would take. */
export const thresholdEngine: ContextEngine = { name: 'threshold', plan: planByThreshold };

function planByThreshold(view: ContextView): CompressionPlan | null {
  const { messages, promptTokens, usableTokens, settings } = view;
  const soft = usableTokens * settings.compressAt;
  if (promptTokens < soft) return null;
  const level = promptTokens >= usableTokens * settings.compressHardAt ? 'hard' : 'soft';
  const { head, tail } = keptTail(messages, settings);
  const before = view.estimateTokens(messages);
  const cleared = view.estimateTokens(clearResults(messages, { head, tail, level }));
  const after = promptTokens - before + cleared;
  const fresh = middleOf(messages, { head, tail }, view.request).filter((message) => !isSummary(message));
  const isWorthIt = view.estimateTokens(fresh) >= Math.max(LEAST_TOKENS, soft * LEAST_SHARE);
  const summarise = isWorthIt && (level === 'hard' || after >= soft);
  if (summarise) return { level, head, tail, summarise };
  return cleared < before ? { level, head, tail, summarise: false } : null;
}
