/*
 * The providers against a mock of the model APIs that others wrote: what our own test server and our own adapters
 * might have misread alike shows here.
 */
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnthropic } from '../../src/providers/anthropic.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { createOpenAiChat } from '../../src/providers/openai-chat.ts';
import { createOpenAiResponses } from '../../src/providers/openai-responses.ts';
import type { ApiMode } from '../../src/providers/reasoning.ts';
import { API_MODES, ask, question } from '../support/api-providers.ts';

const TOOLS = [
  {
    name: 'get_population',
    description: 'Population of a city.',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
] as const;

const CALLS = ['Paris', 'Rome'].map((city, index) => ({
  id: `call_${index}`,
  name: 'get_population',
  arguments: JSON.stringify({ city }),
}));

const mock = new LLMock({ port: 0, logLevel: 'silent' });

beforeAll(async () => {
  mock
    .onMessage('plain', { content: 'Hello there.' })
    .onMessage('calls', { content: 'I look.', toolCalls: CALLS })
    .onMessage('thoughts', { content: 'Forty-two.', reasoning: 'Six times seven.' })
    .onMessage('json', { content: '{"score":1}' })
    .onMessage('cut', { content: 'Half a', finishReason: 'length' })
    .onMessage('busy', { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429 });
  await mock.start();
});
afterAll(() => mock.stop());

function create(api: ApiMode, isStreamed: boolean): Provider {
  const options = { name: api, apiKey: 'mock', isStreamed, dialect: 'openai' } as const;
  switch (api) {
    case 'messages':
      return createAnthropic({ ...options, baseUrl: mock.url });
    case 'chat':
      return createOpenAiChat({ ...options, baseUrl: `${mock.url}/v1` });
    case 'responses':
      return createOpenAiResponses({ ...options, baseUrl: `${mock.url}/v1` });
  }
}

const CELLS = API_MODES.flatMap((api) => [true, false].map((isStreamed) => ({ api, isStreamed })));

describe.each(CELLS)('$api, streamed: $isStreamed', ({ api, isStreamed }) => {
  const say = (content: string, rest: object = {}): ReturnType<typeof ask> =>
    ask(create(api, isStreamed), question(api, { messages: [{ role: 'user', content }], ...rest }));

  it('text', async () => {
    const { answer, deltas } = await say('plain');
    expect(answer).toMatchObject({ text: 'Hello there.', stop: 'stop' });
    expect(answer.usage.outputTokens).toBeGreaterThan(0);
    expect(deltas.join('')).toBe('Hello there.');
  });

  it('parallel tool calls', async () => {
    const { answer } = await say('calls', { tools: TOOLS });
    expect(answer.stop).toBe('tool_calls');
    expect(answer.toolCalls?.map(({ name, args }) => [name, args])).toEqual([
      ['get_population', { city: 'Paris' }],
      ['get_population', { city: 'Rome' }],
    ]);
  });

  it('thoughts beside the text', async () => {
    const { answer } = await say('thoughts');
    expect(answer.text).toBe('Forty-two.');
    expect(JSON.stringify(answer.reasoning)).toContain('Six times seven.');
  });

  it('structured output', async () => {
    const schema = { type: 'object', properties: { score: { type: 'number' } }, required: ['score'] };
    expect((await say('json', { format: { name: 'judgement', schema } })).answer.text).toBe('{"score":1}');
  });

  it('a cut answer', async () => {
    expect((await say('cut')).answer).toMatchObject({ text: 'Half a', stop: 'length' });
  });

  it('a busy server', async () => {
    await expect(say('busy')).rejects.toMatchObject({ code: 'model_overloaded', details: { status: 429 } });
  });
});
