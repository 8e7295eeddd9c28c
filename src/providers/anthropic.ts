import type { Anthropic, ClientOptions } from '@anthropic-ai/sdk';
import type { ModelAnswer, ModelRequest } from '../contracts/model.ts';
import type { Provider, ProviderContext } from '../contracts/ports.ts';
import type { JsonObject } from '../kernel/json.ts';
import { toMessagesAnswer } from './anthropic/answer.ts';
import { buildMessagesRequest, type MessagesRequest } from './anthropic/request.ts';
import { assembleMessage } from './anthropic/stream.ts';
import { usageOfMessage } from './anthropic/usage.ts';
import { type ApiOptions, currentKey } from './api-options.ts';
import { attempt, NO_TIMEOUT_MS } from './http/attempt.ts';
import type { Line } from './http/line.ts';
import { refuseMedia } from './refuse-media.ts';
import { requireModel } from './require-model.ts';

/** Anthropic's Messages API. Each call is one attempt; what fails throws an error of the table with its class. */
export function createAnthropic(options: ApiOptions): Provider {
  return {
    name: options.name,
    priceOf: (model) => options.priceOf?.(model === '' ? (options.defaultModel ?? '') : model),
    complete: (request, context) =>
      attempt(options, context, (line, isStreamed) => askOnce(options, request, context, line, isStreamed)),
  };
}

async function askOnce(
  options: ApiOptions,
  request: ModelRequest,
  context: ProviderContext,
  line: Line,
  isStreamed: boolean,
): Promise<ModelAnswer> {
  refuseMedia(options.name, request);
  const named = { ...request, model: requireModel(options, request) };
  const built = buildMessagesRequest(named, (text) => context.onWarning?.(text));
  const client = await openClient(options, line);
  const message = await sendRequest(client, built, line, isStreamed, options.name, context);
  return toMessagesAnswer(message, { request: named, built, provider: options.name });
}

async function openClient(options: ApiOptions, line: Line): Promise<Anthropic> {
  const [{ Anthropic: Client }, apiKey] = await Promise.all([
    import('@anthropic-ai/sdk'),
    currentKey(options),
  ]);
  const settings: ClientOptions = {
    // The SDK's paths begin with /v1.
    baseURL: options.baseUrl.replace(/\/v1\/?$/, ''),
    apiKey: apiKey ?? 'none',
    // Whatever is not given here the SDK would look for in the environment.
    authToken: null,
    maxRetries: 0,
    timeout: NO_TIMEOUT_MS,
    fetch: line.fetch,
    logLevel: 'off',
    openTelemetry: false,
    defaultHeaders: { ...options.headers, ...(apiKey === null ? { Authorization: null } : {}) },
  };
  return new Client(settings);
}

/** The finished message, streamed or not. The SDK's own `create` prints warnings about models to the console. */
async function sendRequest(
  client: Anthropic,
  { body, isTextByTool }: MessagesRequest,
  line: Line,
  isStreamed: boolean,
  provider: string,
  context: ProviderContext,
): Promise<JsonObject> {
  const { signal } = line;
  if (!isStreamed)
    return client.post<JsonObject>('/v1/messages', { body: { ...body, stream: false }, signal });
  const events = await client.post<AsyncIterable<JsonObject>>('/v1/messages', {
    body: { ...body, stream: true },
    signal,
    stream: true,
  });
  return assembleMessage(events, {
    provider,
    isTextByTool,
    onText: (text) => {
      if (!signal.aborted) context.onDelta?.(text);
    },
    onUsage: (usage) => {
      const known = usageOfMessage(usage);
      if (known !== null) context.onUsage?.(known);
    },
    onEnd: line.expectEnd,
  });
}
