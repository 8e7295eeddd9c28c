import type { Price } from '../contracts/budget.ts';
import type { Usage } from '../contracts/model.ts';

/** Cost of a usage in millionths of a US dollar, rounded up; cached tokens at their own price where one is given. */
export function costMicroUsd(usage: Usage, price: Price): number {
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
