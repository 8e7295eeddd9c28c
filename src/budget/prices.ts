import type { Price } from '../contracts/budget.ts';
import type { Usage } from '../contracts/model.ts';

/**
 * Cost of a usage in millionths of a US dollar, rounded up; cached tokens at their own price where one is given, and
 * the whole at the price of a long prompt where it is one.
 */
export function costMicroUsd(usage: Usage, { longPrompt, ...base }: Price): number {
  const price =
    longPrompt !== undefined && usage.inputTokens > longPrompt.aboveInputTokens ? longPrompt : base;
  const read = usage.cacheReadTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const fresh = Math.max(0, usage.inputTokens - read - written);
  // Dollars per million tokens are millionths of a dollar per token.
  return Math.ceil(
    fresh * price.inputPerMTok +
      read * (price.cacheReadPerMTok ?? price.inputPerMTok) +
      written * (price.cacheWritePerMTok ?? price.inputPerMTok) +
      usage.outputTokens * price.outputPerMTok,
  );
}
