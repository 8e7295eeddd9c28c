import type { OpenAI } from 'openai';
import type { Provider, ProviderContext } from '../contracts/ports.ts';
import type { JsonObject } from '../kernel/json.ts';
import { attempt } from './http/attempt.ts';
import type { Line } from './http/line.ts';
import { ModelChoice, openClient } from './openai/client.ts';
import { makeMedia } from './openai/media.ts';
import type { OpenAiOptions } from './openai/options.ts';
import { toResponsesAnswer } from './openai/responses-answer.ts';
import { buildResponsesRequest, type ResponsesRequest } from './openai/responses-request.ts';
import { assembleResponse } from './openai/responses-stream.ts';

/** OpenAI's Responses API, without state at the server. Each call is one attempt. */
export function createOpenAiResponses(options: OpenAiOptions): Provider {
  const choice = new ModelChoice(options);
  return {
    name: options.name,
    priceOf: (model) => options.priceOf?.(model === '' ? (options.defaultModel ?? '') : model),
    complete: async (request, context) => {
      if (request.media !== undefined) return makeMedia(options, request, request.media, context);
      return attempt(options, context, async (line, isStreamed) => {
        const client = await openClient(options, line);
        const named = { ...request, model: await choice.modelFor(request, client, line.signal) };
        const built = buildResponsesRequest(named, options.dialect, (text) => context.onWarning?.(text));
        const response = isStreamed
          ? await streamResponse(client, built, line, options.name, context)
          : await sendRequest(client, built, line);
        return toResponsesAnswer(response, { request: named, built, provider: options.name });
      });
    },
  };
}

/** The SDK's own `create` fails in odd ways where the answer is none of this API. */
async function sendRequest(client: OpenAI, { body }: ResponsesRequest, { signal }: Line): Promise<unknown> {
  return client.post<unknown>('/responses', { body: { ...body, stream: false }, signal });
}

async function streamResponse(
  client: OpenAI,
  { body }: ResponsesRequest,
  { signal, expectEnd }: Line,
  provider: string,
  context: ProviderContext,
): Promise<JsonObject> {
  const events = await client.responses.create({ ...body, stream: true }, { signal });
  return assembleResponse(events as unknown as AsyncIterable<JsonObject>, {
    provider,
    onText: (text) => {
      if (!signal.aborted) context.onDelta?.(text);
    },
    onEnd: expectEnd,
  });
}
