import type { OpenAI } from 'openai';
import type { Provider, ProviderContext } from '../contracts/ports.ts';
import type { JsonObject } from '../kernel/json.ts';
import { attempt } from './http/attempt.ts';
import type { Line } from './http/line.ts';
import { toChatAnswer } from './openai/chat-answer.ts';
import { buildChatRequest, type ChatRequest } from './openai/chat-request.ts';
import { assembleCompletion } from './openai/chat-stream.ts';
import { usageOfCompletion } from './openai/usage.ts';
import { ModelChoice, openClient } from './openai/client.ts';
import { makeMedia } from './openai/media.ts';
import type { OpenAiOptions } from './openai/options.ts';

/** OpenAI's Chat Completions API, and all that is compatible with it. Each call is one attempt. */
export function createOpenAiChat(options: OpenAiOptions): Provider {
  const choice = new ModelChoice(options);
  return {
    name: options.name,
    priceOf: (model) => options.priceOf?.(model === '' ? (options.defaultModel ?? '') : model),
    complete: async (request, context) => {
      if (request.media !== undefined) return makeMedia(options, request, request.media, context);
      return attempt(options, context, async (line, isStreamed) => {
        const client = await openClient(options, line);
        const named = { ...request, model: await choice.modelFor(request, client, line.signal) };
        const built = buildChatRequest(named, options.dialect, (text) => context.onWarning?.(text));
        const completion = isStreamed
          ? await streamCompletion(client, built, line, options.name, context)
          : await client.chat.completions.create({ ...built.body, stream: false }, { signal: line.signal });
        return toChatAnswer(completion, { request: named, built, provider: options.name });
      });
    },
  };
}

async function streamCompletion(
  client: OpenAI,
  { body }: ChatRequest,
  { signal, expectEnd }: Line,
  provider: string,
  context: ProviderContext,
): Promise<JsonObject> {
  const chunks = await client.chat.completions.create(
    { ...body, stream: true, stream_options: { include_usage: true } },
    { signal },
  );
  return assembleCompletion(chunks as unknown as AsyncIterable<JsonObject>, {
    provider,
    onText: (text) => {
      if (!signal.aborted) context.onDelta?.(text);
    },
    onUsage: (usage) => {
      const known = usageOfCompletion(usage);
      if (known !== null) context.onUsage?.(known);
    },
    onEnd: expectEnd,
  });
}
