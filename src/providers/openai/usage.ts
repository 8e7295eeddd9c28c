import type { Usage } from '../../contracts/model.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { countAt, objectAt } from '../http/json-fields.ts';

/** Usage as Chat Completions counts it (cached input is part of the input); null where there are no figures. */
export function usageOfCompletion(usage: JsonObject): Usage | null {
  return readUsage(usage, 'prompt_tokens', 'completion_tokens');
}

/** Usage as the Responses API counts it: cached input is part of the input; null where there are no figures. */
export function usageOfResponse(usage: JsonObject): Usage | null {
  return readUsage(usage, 'input_tokens', 'output_tokens');
}

/** Both APIs count alike, under names of their own; what a count is made of stands under its name with `_details`. */
function readUsage(usage: JsonObject, input: string, output: string): Usage | null {
  const inputTokens = countAt(usage, input) ?? 0;
  const outputTokens = countAt(usage, output) ?? 0;
  // No call uses nothing.
  if (inputTokens + outputTokens === 0) return null;
  const details = objectAt(usage, `${input}_details`);
  const read = countAt(details, 'cached_tokens') ?? 0;
  const written = countAt(details, 'cache_write_tokens') ?? 0;
  const reasoning = countAt(objectAt(usage, `${output}_details`), 'reasoning_tokens');
  return {
    inputTokens,
    outputTokens,
    ...(read > 0 ? { cacheReadTokens: read } : {}),
    ...(written > 0 ? { cacheWriteTokens: written } : {}),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
