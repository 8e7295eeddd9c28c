import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Message, modelAnswerSchema } from '../../../src/contracts/model.ts';
import type { JsonSchema } from '../../../src/contracts/schema.ts';
import type { ApiMode } from '../../../src/providers/reasoning.ts';
import { API_MODES, ask, createProvider, MODELS, question } from '../../support/api-providers.ts';
import {
  type ModelServer,
  type Scenario,
  startModelServer,
} from '../../support/model-server/model-server.ts';
import type { WireReply, WireRequest } from '../../support/model-server/wire.ts';

const CITY: JsonSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const TOOLS = [{ name: 'get_population', description: 'Population of a city.', input: CITY }];

const SCORE: JsonSchema = {
  type: 'object',
  properties: { score: { type: 'number' }, note: { type: 'string' } },
  required: ['score'],
  additionalProperties: false,
};

/** What each API sends of its thoughts, in its own form. */
const THOUGHTS: Readonly<Record<ApiMode, WireReply['thoughts']>> = {
  messages: [
    { type: 'thinking', thinking: 'Paris, "she" said\n', signature: 'c2lnbmF0dXJl+/=' },
    { type: 'redacted_thinking', data: 'opaque==' },
  ],
  chat: [{ reasoning_content: 'Paris, "she" said\n' }],
  responses: [
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [{ type: 'summary_text', text: 'Paris.' }],
      encrypted_content: 'gAAA+/==',
    },
  ],
};

let server: ModelServer;
let answer: (request: WireRequest) => Scenario | Promise<Scenario>;

beforeAll(async () => {
  server = await startModelServer((request) => answer(request));
});
afterAll(() => server.close());
beforeEach(() => {
  answer = () => ({ reply: { text: 'Nothing much.' } });
});

const CELLS = API_MODES.flatMap((api) => [
  { api, isStreamed: true, how: 'streamed' },
  { api, isStreamed: false, how: 'whole' },
]);

function lastRequest(): WireRequest {
  const last = server.requests.at(-1);
  if (last === undefined) throw new Error('nothing was asked');
  return last;
}

describe.each(CELLS)('$api, $how', ({ api, isStreamed }) => {
  const create = (): ReturnType<typeof createProvider> => createProvider(api, server, { isStreamed });

  it('answers with text, in pieces where it is streamed', async () => {
    const { answer: given, deltas } = await ask(create(), question(api));
    expect(modelAnswerSchema.parse(given)).toMatchObject({
      text: 'Nothing much.',
      stop: 'stop',
      usage: { inputTokens: 11, outputTokens: 7 },
      model: MODELS[api],
      provider: api,
    });
    expect(deltas.join('')).toBe('Nothing much.');
    expect(deltas.length).toBe(isStreamed ? 2 : 1);
    expect(given).not.toHaveProperty('toolCalls');
    expect(given).not.toHaveProperty('reasoning');
  });

  it('sends the conversation, the limit and the key, and asks for nothing twice', async () => {
    const before = server.requests.length;
    await ask(create(), question(api));
    expect(server.requests).toHaveLength(before + 1);
    const { messages, maxOutputTokens, isStreamed: wasStreamed, headers, model } = lastRequest();
    expect(messages).toEqual(question(api).messages);
    expect([maxOutputTokens, wasStreamed, model]).toEqual([500, isStreamed, MODELS[api]]);
    expect(headers['authorization']).toBe('Bearer test-key');
  });

  it('hands on tool calls, several at once, under the names of the caller', async () => {
    const odd = { ...TOOLS[0]!, name: 'städte.einwohner/zählen' };
    answer = ({ tools }) => ({
      reply: {
        toolCalls: [
          { id: 'a', name: 'get_population', args: '{"city":"Paris"}' },
          { id: 'b', name: tools[1]!.name, args: '{"city":"Köln"}' },
          { id: 'c', name: 'get_population', args: '' },
        ],
      },
    });
    const { answer: given } = await ask(
      create(),
      question(api, { tools: [...TOOLS, odd], toolChoice: 'auto' }),
    );
    expect(lastRequest().tools.map(({ name }) => name)).toEqual([
      'get_population',
      expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
    ]);
    expect(given).toMatchObject({
      stop: 'tool_calls',
      toolCalls: [
        { id: 'a', name: 'get_population', args: { city: 'Paris' } },
        { id: 'b', name: 'städte.einwohner/zählen', args: { city: 'Köln' } },
        { id: 'c', name: 'get_population', args: {} },
      ],
    });
  });

  it('sends calls and their results back', async () => {
    const toolCalls = [{ id: 'a', name: 'get_population', args: { city: 'Paris' } }];
    const messages: readonly Message[] = [
      ...question(api).messages,
      { role: 'assistant', content: 'I look.', toolCalls },
      { role: 'tool', toolCallId: 'a', content: '11 208 440' },
      { role: 'user', content: 'And now?' },
    ];
    await ask(create(), question(api, { messages, tools: TOOLS }));
    const sent = lastRequest().messages;
    expect(sent.filter(({ role }) => role === 'tool')).toEqual([messages[3]]);
    expect(
      sent.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])),
    ).toEqual(toolCalls);
    expect(sent.at(-1)).toEqual(messages[4]);
  });

  it('holds the model to a schema, and gives back what it says in the form of that schema', async () => {
    answer = () => ({
      reply: { text: JSON.stringify(api === 'messages' ? { score: 1 } : { score: 1, note: null }) },
    });
    const { answer: given } = await ask(
      create(),
      question(api, { format: { name: 'judgement', schema: SCORE } }),
    );
    expect(JSON.parse(given.text)).toEqual({ score: 1 });
    const required = api === 'messages' ? ['score'] : ['score', 'note'];
    expect(lastRequest().format?.schema).toMatchObject({
      type: 'object',
      required,
      additionalProperties: false,
    });
  });

  it('counts what was read from the cache, written to it, and thought', async () => {
    const usage = { input: 1010, output: 50, cacheRead: 900, cacheWrite: 100, reasoning: 30 };
    answer = () => ({ reply: { text: 'Fine.', usage } });
    const { answer: given, usages } = await ask(create(), question(api));
    expect(given.usage).toEqual({
      inputTokens: 1010,
      outputTokens: 50,
      cacheReadTokens: 900,
      cacheWriteTokens: 100,
      reasoningTokens: 30,
    });
    expect(usages.at(-1)).toEqual(given.usage);
  });

  it('keeps what the model thought byte for byte, and sends it back in its place', async () => {
    const thoughts = THOUGHTS[api]!;
    const toolCalls = [{ id: 'a', name: 'get_population', args: '{"city":"Paris"}' }];
    answer = () => ({ reply: { thoughts, text: 'I look.', toolCalls } });
    const { answer: given } = await ask(create(), question(api, { tools: TOOLS }));
    const { text: content, toolCalls: made, reasoning } = JSON.parse(JSON.stringify(given)) as typeof given;
    answer = () => ({ reply: { text: 'Many.' } });
    const messages = [
      ...question(api).messages,
      { role: 'assistant', content, toolCalls: made!, reasoning: reasoning! },
      { role: 'tool', toolCallId: 'a', content: '11 208 440' },
    ] as const;
    await ask(create(), question(api, { messages, tools: TOOLS }));
    const sent = JSON.stringify(lastRequest().body);
    for (const thought of thoughts) expect(sent).toContain(JSON.stringify(thought).slice(1, -1));
    const places = ['c2lnbmF0dXJl', 'opaque', 'I look.', '"a"'].map((text) => sent.indexOf(text));
    if (api === 'messages') expect(places).toEqual(places.toSorted((a, b) => a - b));

    await ask(create(), question(api, { messages, tools: TOOLS, model: 'another-model' }));
    for (const thought of thoughts) {
      expect(JSON.stringify(lastRequest().body)).not.toContain(JSON.stringify(thought).slice(1, -1));
    }
  });

  it('closes the socket when it is aborted, rejects with the reason, and says no more', async () => {
    const closedBefore = server.closedByClient;
    const controller = new AbortController();
    const reason = new Error('enough');
    answer = () => {
      setTimeout(() => controller.abort(reason), 20);
      return { stall: 'headers' };
    };
    const call = ask(create(), question(api), controller.signal);
    await expect(call).rejects.toBe(reason);
    await expect.poll(() => server.closedByClient).toBe(closedBefore + 1);
  });

  it('does not begin when it is aborted already', async () => {
    const before = server.requests.length;
    const reason = new Error('enough');
    await expect(ask(create(), question(api), AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toHaveLength(before);
  });

  it('leaves out a tool that no model could call, and says so', async () => {
    const impossible = { name: 'echo', description: 'Says it again.', input: { type: 'string' } } as const;
    const { answer: given, warnings } = await ask(create(), question(api, { tools: [impossible, ...TOOLS] }));
    expect(given.text).toBe('Nothing much.');
    expect(lastRequest().tools.map(({ name }) => name)).toEqual(['get_population']);
    expect(warnings).toEqual([expect.stringContaining('tool echo is left out')]);
  });

  it('sends images', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' },
    ] as const;
    await ask(create(), question(api, { messages: [{ role: 'user', content }] }));
    expect(JSON.stringify(lastRequest().body)).toContain('aGVsbG8=');
  });

  it('needs a model', async () => {
    await expect(ask(create(), question(api, { model: '' }))).rejects.toMatchObject({
      code: 'model_bad_request',
      message: expect.stringContaining('no model is named for the role "tester"') as string,
    });
    const { answer: given } = await ask(
      createProvider(api, server, { isStreamed, defaultModel: 'house-model' }),
      question(api, { model: '' }),
    );
    expect(given.model).toBe('house-model');
  });
});
