import type { Usage } from '../../contracts/model.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { countAt, objectAt } from '../http/json-fields.ts';

/**
 * Usage as Anthropic counts it: what was read from and written to the cache stands beside the other input. Null where
 * there are no figures.
 */
export function usageOfMessage(usage: JsonObject): Usage | null {
  const read = countAt(usage, 'cache_read_input_tokens') ?? 0;
  const written = countAt(usage, 'cache_creation_input_tokens') ?? 0;
  const reasoning = countAt(objectAt(usage, 'output_tokens_details'), 'thinking_tokens');
  const inputTokens = (countAt(usage, 'input_tokens') ?? 0) + read + written;
  const outputTokens = countAt(usage, 'output_tokens') ?? 0;
  // No call uses nothing.
  if (inputTokens + outputTokens === 0) return null;
  return {
    inputTokens,
    outputTokens,
    ...(read > 0 ? { cacheReadTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
