import type { ModelAnswer, ModelRequest, Usage } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { createAnthropic } from '../../src/providers/anthropic.ts';
import type { ApiOptions } from '../../src/providers/api-options.ts';
import { createOpenAiChat } from '../../src/providers/openai-chat.ts';
import { createOpenAiResponses } from '../../src/providers/openai-responses.ts';
import type { ApiMode } from '../../src/providers/reasoning.ts';
import type { ModelServer } from './model-server/model-server.ts';

/** The APIs that every suite runs over. */
export const API_MODES: readonly ApiMode[] = ['messages', 'chat', 'responses'];

/** A model of each API that is up to everything the API can do. */
export const MODELS: Readonly<Record<ApiMode, string>> = {
  messages: 'claude-sonnet-4-5',
  chat: 'gpt-4.1',
  responses: 'gpt-5.4-mini',
};

/** A provider of that API over a test server. */
export function createProvider(
  api: ApiMode,
  server: ModelServer,
  options: Partial<ApiOptions> = {},
): Provider {
  const shared: ApiOptions = { name: api, baseUrl: server.baseUrl(api), apiKey: 'test-key', ...options };
  switch (api) {
    case 'messages':
      return createAnthropic(shared);
    case 'chat':
      return createOpenAiChat({ ...shared, dialect: 'openai' });
    case 'responses':
      return createOpenAiResponses({ ...shared, dialect: 'openai' });
  }
}

/** A question to a model of that API. */
export function question(api: ApiMode, rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    role: 'tester',
    model: MODELS[api],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is up?' },
    ],
    maxOutputTokens: 500,
    ...rest,
  };
}

/** What became of one call. */
export interface Asked {
  readonly answer: ModelAnswer;
  readonly deltas: readonly string[];
  readonly usages: readonly Usage[];
  readonly warnings: readonly string[];
}

/** Asks, and notes what was reported on the way. */
export async function ask(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Asked> {
  const deltas: string[] = [];
  const usages: Usage[] = [];
  const warnings: string[] = [];
  const answer = await provider.complete(request, {
    key: 'test/1',
    signal,
    onDelta: (text) => void deltas.push(text),
    onUsage: (usage) => void usages.push(usage),
    onWarning: (text) => void warnings.push(text),
  });
  return { answer, deltas, usages, warnings };
}
