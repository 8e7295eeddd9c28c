import type { Usage } from '../../contracts/model.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { countAt, objectAt } from '../http/json-fields.ts';

/** Usage as Anthropic counts it: what was read from and written to the cache stands beside the other input. */
export function usageOfMessage(usage: JsonObject): Usage {
  const read = countAt(usage, 'cache_read_input_tokens') ?? 0;
  const written = countAt(usage, 'cache_creation_input_tokens') ?? 0;
  const reasoning = countAt(objectAt(usage, 'output_tokens_details'), 'thinking_tokens');
  return {
    inputTokens: (countAt(usage, 'input_tokens') ?? 0) + read + written,
    outputTokens: countAt(usage, 'output_tokens') ?? 0,
    ...(read > 0 ? { cacheReadTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
