/*
 * What compatible servers and gateways do otherwise than the API that they stand in for.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOpenAiChat } from '../../../src/providers/openai-chat.ts';
import type { OpenAiOptions } from '../../../src/providers/openai/options.ts';
import { createOpenAiResponses } from '../../../src/providers/openai-responses.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { ask, createProvider, question } from '../../support/api-providers.ts';
import {
  type ModelServer,
  type Scenario,
  startModelServer,
} from '../../support/model-server/model-server.ts';
import type { WireEvent } from '../../support/model-server/wire.ts';

let server: ModelServer;
let scenario: Scenario;

beforeAll(async () => {
  server = await startModelServer(() => scenario, ['smollm2']);
});
afterAll(() => server.close());
beforeEach(() => {
  scenario = { reply: { text: 'Fine.' } };
});

function compatible(options: Partial<OpenAiOptions> = {}): OpenAiOptions {
  return {
    name: 'compatible',
    baseUrl: server.baseUrl('chat'),
    apiKey: null,
    dialect: 'compatible',
    ...options,
  };
}

/** The same events with the data of each changed. */
function changeData(
  change: (data: JsonObject) => JsonObject,
): (events: readonly WireEvent[]) => readonly WireEvent[] {
  return (events) =>
    events.map((event) => (typeof event.data === 'string' ? event : { ...event, data: change(event.data) }));
}

describe('a compatible server', () => {
  it('that serves one model is asked for its name once', async () => {
    for (const create of [createOpenAiChat, createOpenAiResponses]) {
      const provider = create(compatible());
      for (let turn = 0; turn < 2; turn++) {
        expect((await ask(provider, question('chat', { model: '' }))).answer.model).toBe('smollm2');
      }
    }
  });

  it('gets no key where there is none, the old name of the limit, and the schema as it is', async () => {
    const schema = { type: 'object', properties: { note: { type: 'string', maxLength: 20 } } } as const;
    await ask(createOpenAiChat(compatible()), question('chat', { format: { name: 'note', schema } }));
    const request = server.requests.at(-1);
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.body).toMatchObject({ max_tokens: 500, response_format: { json_schema: { schema } } });
    expect(JSON.stringify(request?.body)).not.toContain('strict');
  });

  it('may give parallel calls the same index, with ids of their own', async () => {
    const toolCalls = ['Paris', 'Rome'].map((city) => ({
      id: city,
      name: 'look',
      args: JSON.stringify({ city }),
    }));
    scenario = {
      reply: { toolCalls },
      events: (events) =>
        JSON.parse(JSON.stringify(events).replaceAll('"index":1', '"index":0')) as WireEvent[],
    };
    const { answer } = await ask(createOpenAiChat(compatible()), question('chat'));
    expect(answer.toolCalls?.map(({ args }) => args)).toEqual([{ city: 'Paris' }, { city: 'Rome' }]);
  });

  it('may stop for "stop" with a call, which is one all the same', async () => {
    const toolCalls = [{ id: 'a', name: 'look', args: '{}' }];
    scenario = {
      reply: { toolCalls },
      events: changeData(
        (data) => JSON.parse(JSON.stringify(data).replace('"tool_calls"}', '"stop"}')) as JsonObject,
      ),
    };
    expect((await ask(createOpenAiChat(compatible()), question('chat'))).answer).toMatchObject({
      stop: 'tool_calls',
    });
  });

  it('may send no usage, which is then estimated and said so', async () => {
    scenario = { reply: { text: 'Fine.' }, events: (events) => events.slice(0, -2) };
    const { answer } = await ask(createOpenAiChat(compatible()), question('chat'));
    expect(answer.usage).toEqual({ inputTokens: 5, outputTokens: 2, estimated: true });
  });

  it('may leave the output out of the last event of a response', async () => {
    scenario = {
      reply: { text: 'Fine.' },
      events: changeData((data) =>
        data['type'] === 'response.completed'
          ? { ...data, response: { ...(data['response'] as JsonObject), output: [] } }
          : data,
      ),
    };
    expect((await ask(createOpenAiResponses(compatible()), question('responses'))).answer.text).toBe('Fine.');
  });

  it('may call a response completed that it has cut, which shows by its length', async () => {
    scenario = { reply: { text: 'Half a', usage: { input: 5, output: 500 } } };
    const cut = await ask(createOpenAiResponses(compatible()), question('responses'));
    expect(cut.answer.stop).toBe('length');
    const whole = await ask(createProvider('responses', server), question('responses'));
    expect(whole.answer.stop).toBe('stop');
  });

  it('may answer 200 with an error in it', async () => {
    for (const [body, code] of [
      ['{"error":{"code":429,"message":"slow down"}}', 'model_overloaded'],
      ['{"error":{"code":402,"message":"no credits"}}', 'model_quota'],
      [
        '{"choices":[{"finish_reason":"error","error":{"code":502,"message":"upstream"}}]}',
        'model_overloaded',
      ],
      ['{"choices":[]}', 'model_malformed'],
      ['{"choices":[{"message":{"content":"Half"},"finish_reason":null}]}', 'model_malformed'],
      ['[]', 'model_malformed'],
    ] as const) {
      scenario = { body, contentType: 'application/json' };
      await expect(
        ask(createOpenAiChat(compatible({ isStreamed: false })), question('chat')),
      ).rejects.toMatchObject({ code });
    }
  });

  it('gets the details of its reasoning back as they were, pieces put together', async () => {
    const details = [
      { type: 'reasoning.text', index: 0, text: 'First ', format: 'x' },
      { type: 'reasoning.text', index: 0, text: 'this.', signature: 'sig' },
      { type: 'reasoning.encrypted', index: 1, data: 'opaque' },
    ];
    scenario = {
      reply: { text: 'Fine.' },
      events: (events) => [
        ...details.map((detail) => ({
          data: { choices: [{ index: 0, delta: { reasoning_details: [detail] } }] },
        })),
        ...events,
      ],
    };
    const { answer } = await ask(createOpenAiChat(compatible()), question('chat'));
    scenario = { reply: { text: 'Fine.' } };
    const messages = [
      ...question('chat').messages,
      { role: 'assistant', content: answer.text, reasoning: answer.reasoning! },
      { role: 'user', content: 'And?' },
    ] as const;
    await ask(createOpenAiChat(compatible()), question('chat', { messages }));
    expect(server.requests.at(-1)?.body['messages']).toContainEqual({
      role: 'assistant',
      content: 'Fine.',
      reasoning_details: [
        { type: 'reasoning.text', index: 0, text: 'First this.', format: 'x', signature: 'sig' },
        { type: 'reasoning.encrypted', index: 1, data: 'opaque' },
      ],
    });
  });
});

describe('Anthropic', () => {
  it('answers through a tool where a schema needs it, and the arguments are the text', async () => {
    const format = {
      name: 'plan',
      schema: { type: 'object', properties: { args: { type: 'object' } } },
    } as const;
    const args = '{"args":{"city":"Paris"}}';
    for (const isStreamed of [true, false]) {
      scenario = { reply: { toolCalls: [{ id: 'a', name: 'plan', args }] } };
      const { answer, deltas } = await ask(
        createProvider('messages', server, { isStreamed }),
        question('messages', { format }),
      );
      expect(answer).toMatchObject({ text: args, stop: 'stop' });
      expect(answer.toolCalls).toBeUndefined();
      expect(deltas.join('')).toBe(args);

      scenario = { reply: { toolCalls: [{ id: 'a', name: 'plan', args: '{"args":{' }], stop: 'length' } };
      const cut = await ask(createProvider('messages', server), question('messages', { format }));
      expect(cut.answer).toMatchObject({ text: '{"args":{', stop: 'length' });
    }
  });

  it('is paid for a stable prefix once: a second plan round takes up the first from the cache', async () => {
    const catalogue = `<catalogue>\n${JSON.stringify([{ name: 'look', description: 'x'.repeat(500) }])}\n</catalogue>`;
    const first = [
      { role: 'system', content: 'You plan.' },
      { role: 'user', content: `<goal>\n"go"\n</goal>\n${catalogue}\n<limits>\n{}\n</limits>` },
    ] as const;
    const again = [
      ...first,
      { role: 'assistant', content: 'None.' },
      { role: 'user', content: 'Again.' },
    ] as const;
    const provider = createProvider('messages', server);
    await ask(provider, question('messages', { messages: first }));
    const prefixes = cachedPrefixes(server.requests.at(-1)!.body);
    await ask(provider, question('messages', { messages: again }));
    const reused = cachedPrefixes(server.requests.at(-1)!.body).filter((prefix) => prefixes.includes(prefix));
    expect(reused.map((prefix) => prefix.includes('</catalogue>'))).toEqual([false, true]);
  });
});

/** What the server would keep: everything up to each marker, in the order in which it reads a request. */
function cachedPrefixes(body: JsonObject): string[] {
  const blocks = [
    ...((body['tools'] ?? []) as JsonObject[]),
    ...((body['system'] ?? []) as JsonObject[]),
    ...(body['messages'] as { content: JsonObject[] }[]).flatMap(({ content }) => content),
  ];
  const withoutMarks = blocks.map((block) =>
    Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control')),
  );
  return blocks.flatMap((block, index) =>
    block['cache_control'] === undefined ? [] : [JSON.stringify(withoutMarks.slice(0, index + 1))],
  );
}
