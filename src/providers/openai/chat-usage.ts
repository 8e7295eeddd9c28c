import type { Usage } from '../../contracts/model.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { countAt, objectAt } from '../http/json-fields.ts';

/** Usage as Chat Completions counts it (cached input is part of the input); null where there are no figures. */
export function usageOfCompletion(usage: JsonObject): Usage | null {
  const inputTokens = countAt(usage, 'prompt_tokens') ?? 0;
  const outputTokens = countAt(usage, 'completion_tokens') ?? 0;
  // No call uses nothing.
  if (inputTokens + outputTokens === 0) return null;
  const details = objectAt(usage, 'prompt_tokens_details');
  const read = countAt(details, 'cached_tokens') ?? 0;
  const written = countAt(details, 'cache_write_tokens') ?? 0;
  const reasoning = countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens');
  return {
    inputTokens,
    outputTokens,
    ...(read > 0 ? { cacheReadTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
