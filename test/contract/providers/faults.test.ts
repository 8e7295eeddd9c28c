/*
 * What real model APIs do wrong, over each API, streamed and whole: each cell ends in its typed error with the class
 * that says what may follow, or in an answer that says itself that it is none; in bounded time, after one request.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerFailure } from '../../../src/contracts/answer-failure.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import type { ApiMode } from '../../../src/providers/reasoning.ts';
import { API_MODES, ask, createProvider, question } from '../../support/api-providers.ts';
import { FAULT_CELLS, FAULT_IDLE_MS, FAULTED_CALL, FAULTS } from '../../support/model-server/faults.ts';
import {
  type ModelServer,
  type Scenario,
  startModelServer,
} from '../../support/model-server/model-server.ts';

const TOOLS = [
  {
    name: 'create_file',
    description: 'Creates a file.',
    input: { type: 'object', properties: { path: { type: 'string' } } },
  },
] as const;
let server: ModelServer;
let scenario: Scenario;

beforeAll(async () => {
  server = await startModelServer(() => scenario);
});
afterAll(() => server.close());

async function outcomeOf(
  api: ApiMode,
  isStreamed: boolean,
): Promise<Awaited<ReturnType<typeof ask>> | OrchestratorError> {
  const provider = createProvider(api, server, {
    isStreamed,
    // Only who stalls is to run into it; a busy machine is not.
    idleTimeoutMs: 'stall' in scenario ? FAULT_IDLE_MS : 10_000,
  });
  try {
    return await ask(provider, question(api, { tools: TOOLS }));
  } catch (thrown) {
    if (thrown instanceof OrchestratorError) return thrown;
    throw thrown;
  }
}

describe('faults of model APIs', () => {
  it.each(FAULT_CELLS.filter(({ reason }) => reason === undefined))(
    '$name: $api, $how',
    async ({ scenario: wanted, outcome, api, isStreamed }) => {
      scenario = wanted;
      const before = server.requests.length;
      const startedAt = performance.now();
      const found = await outcomeOf(api, isStreamed);
      expect(performance.now() - startedAt).toBeLessThan(3000);
      expect(server.requests).toHaveLength(before + 1);
      if ('code' in outcome) {
        expect(found).toBeInstanceOf(OrchestratorError);
        expect(found).toMatchObject(outcome);
        return;
      }
      if (found instanceof OrchestratorError) throw found;
      expect(answerFailure(found.answer)?.code).toBe('failure' in outcome ? outcome.failure : undefined);
      expect(found.answer.text).toBe(outcome.text);
      // Whatever is not whole runs no tool.
      expect(found.answer.toolCalls).toBeUndefined();
    },
  );

  it('has a cell for each fault, API and way, or says why there is none', () => {
    const missing = FAULT_CELLS.flatMap(({ name, api, how, reason }) =>
      reason === undefined ? [] : [`${name}: ${api}, ${how}: ${reason}`],
    );
    expect(missing.join('\n')).toMatchInlineSnapshot(`
      "stream cut mid-call: messages, whole: a cut stream needs a stream
      stream cut mid-call: chat, whole: a cut stream needs a stream
      stream cut mid-call: responses, whole: a cut stream needs a stream
      clean end mid-call: messages, whole: a stream that ends early needs a stream
      clean end mid-call: chat, whole: a stream that ends early needs a stream
      clean end mid-call: responses, whole: a stream that ends early needs a stream
      last event without blank line: messages, whole: an event needs a stream
      last event without blank line: chat, whole: an event needs a stream
      last event without blank line: responses, whole: an event needs a stream
      malformed JSON arguments: messages, whole: the server has parsed the arguments itself
      two concatenated argument objects: messages, whole: the server has parsed the arguments itself
      overloaded inside 200: messages, whole: an error event needs a stream
      overloaded inside 200: chat, whole: an error event needs a stream
      overloaded inside 200: responses, whole: an error event needs a stream
      no connection is answered: messages, whole: an answer that is not streamed may take as long as the caller waits
      no connection is answered: chat, whole: an answer that is not streamed may take as long as the caller waits
      no connection is answered: responses, whole: an answer that is not streamed may take as long as the caller waits
      stream that never ends after its end marker: messages, whole: an end marker needs a stream
      stream that never ends after its end marker: chat, whole: an end marker needs a stream
      stream that never ends after its end marker: responses, whole: an end marker needs a stream"
    `);
  });

  it('covers the recorded cases that a provider decides', () => {
    const cases = JSON.parse(
      readFileSync(new URL('../../fixtures/answers/answers.json', import.meta.url), 'utf8'),
    ) as { name: string }[];
    const covered = {
      'cut-off tool call': 'length-truncated call',
      'clean end in the middle of a call': 'clean end mid-call',
      'overloaded inside 200': 'overloaded inside 200',
      'empty answer': 'empty content',
      'two concatenated argument objects': 'two concatenated argument objects',
      'text cut by length': 'text cut by length',
      'refusal as text': 'refusal',
    };
    const known = new Set(cases.map(({ name }) => name));
    for (const [name, fault] of Object.entries(covered)) {
      expect(known).toContain(name);
      expect(FAULTS.map((one) => one.name)).toContain(fault);
    }
  });

  it('charges what is known of a call that breaks', async () => {
    const usages: unknown[] = [];
    scenario = { reply: { toolCalls: [FAULTED_CALL] }, cut: 'end' };
    const provider = createProvider('messages', server);
    const call = provider.complete(question('messages', { tools: TOOLS }), {
      key: 'k',
      signal: new AbortController().signal,
      onUsage: (usage) => usages.push(usage),
    });
    await expect(call).rejects.toMatchObject({ code: 'model_unreachable' });
    expect(usages).toEqual([expect.objectContaining({ inputTokens: 11, outputTokens: 1 })]);
  });

  it('reports a refused connection with its code', async () => {
    const closed = await startModelServer(() => ({ status: 500 }));
    await closed.close();
    for (const api of API_MODES) {
      await expect(ask(createProvider(api, closed), question(api))).rejects.toMatchObject({
        code: 'model_unreachable',
        retry: 'TRANSIENT',
        details: { provider: api, code: 'ECONNREFUSED' },
      });
    }
  });
});
