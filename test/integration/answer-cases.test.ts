/* The recorded cases of what answers of models can be, each through whole runs over HTTP: what is right stands in the case. */
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AskRequest } from '../../src/contracts/model.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { defineTool, orchestrate, type RunResult } from '../../src/index.ts';
import type { ApiMode } from '../../src/providers/reasoning.ts';
import { echoTool, node, only, plan, types } from '../support/core.ts';
import { type ModelServer, type Scenario, startModelServer } from '../support/model-server/model-server.ts';
import type { WireRequest } from '../support/model-server/wire.ts';

const CASES = JSON.parse(
  readFileSync(new URL('../fixtures/answers/answers.json', import.meta.url), 'utf8'),
) as readonly { readonly name: string }[];
const covered: string[] = [];

/** A case by its name; every one must have its test. */
function theCase(name: string, test: () => Promise<void>): void {
  covered.push(name);
  it(name, test);
}

const PROVIDERS: Readonly<Record<ApiMode, string>> = {
  ...{ messages: 'anthropic', chat: 'openai', responses: 'openai-responses' },
};
const OK: Scenario = { reply: { text: 'All of it.' } };

let server: ModelServer;
let answer: (request: WireRequest, before: number) => Scenario | Promise<Scenario>;
let requests: WireRequest[] = [];

beforeAll(async () => {
  server = await startModelServer((request) => answer(request, requests.push(request) - 1));
});
afterAll(() => server.close());
afterEach(() => {
  requests = [];
});

const entry = (api: ApiMode, more: object = {}) => ({
  ...{ name: PROVIDERS[api], baseUrl: server.baseUrl(api), apiKeyEnv: 'FIRST_KEY', model: 'm' },
  ...more,
});

/** Asks a writer, with the limits that it is made with. */
const writer = (ask: Partial<AskRequest> = {}) =>
  defineTool({
    ...{ name: 'write', description: 'Has a text written.', costHint: 1, effect: 'read' },
    input: z.strictObject({ facts: z.unknown().optional() }),
    run: (_args, context) => context.ask('writer', { prompt: 'Write.', ...ask }),
  });

const WRITE = plan(node('w', { tool: 'write' }));

interface Ran {
  readonly result: RunResult;
  readonly events: readonly FlightEvent[];
}

async function run(
  task: Partial<TaskInput> & Pick<TaskInput, 'provider'>,
  options: Partial<Parameters<typeof orchestrate>[0]> = {},
): Promise<Ran> {
  const events: FlightEvent[] = [];
  const result = await orchestrate({
    task: {
      ...{ name: 'case', goal: 'Write.', verify: { judge: 'off' }, budget: {}, ...task },
      limits: {
        attempts: 2,
        replans: 0,
        backoffMs: 2,
        backoffCapMs: 5,
        maxOutputTokens: 500,
        ...task.limits,
      },
    },
    tools: [writer(), echoTool()],
    plan: JSON.stringify(WRITE),
    env: { FIRST_KEY: 'first-key-1', SECOND_KEY: 'second-key-2' },
    store: new MemoryRunStore(),
    ...options,
    onEvent: (event, state) => {
      events.push(event);
      options.onEvent?.(event, state);
    },
  });
  if (result.status !== 'interrupted') {
    expect(replay(events, true)).toMatchObject({ divergence: null, isComplete: true });
  }
  return { result, events };
}

const failureCodes = (events: readonly FlightEvent[]) =>
  only(events, 'model.failed').map(({ failure }) => failure.code);

describe('a case', () => {
  theCase('cut-off tool call', async () => {
    const call = { id: 'a', name: 'create_file', args: '{"path":"a.txt"' };
    answer = (_, before) => (before === 0 ? { reply: { toolCalls: [call], stop: 'length' } } : OK);
    const { result, events } = await run(
      { provider: entry('chat') },
      { tools: [writer({ maxOutputTokens: 50 })] },
    );
    expect(result).toMatchObject({ status: 'unverified', answer: 'All of it.' });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([50, 500]);
    expect(JSON.stringify(requests[1]?.body)).not.toContain('a.txt');
    expect(JSON.stringify(events)).not.toContain('a.txt');
    for (const { reserved } of only(events, 'model.requested')) expect(reserved.tokens).toBeGreaterThan(50);
  });

  theCase('clean end in the middle of a call', async () => {
    for (const api of ['messages', 'chat', 'responses'] as const) {
      requests = [];
      const call = { id: 'a', name: 'create_file', args: '{"path":"a.txt","text":"hello"}' };
      answer = (_, before) => (before === 0 ? { reply: { toolCalls: [call] }, cut: 'end' } : OK);
      const { result, events } = await run({ provider: entry(api) });
      expect(result).toMatchObject({ status: 'unverified', answer: 'All of it.' });
      expect(failureCodes(events)).toEqual(['model_unreachable']);
      expect(types(events)).toContain('retry.scheduled');
    }
  });

  theCase('overloaded inside 200', async () => {
    answer = ({ api }) => (api === 'messages' ? { streamError: 'overloaded_error' } : OK);
    const { result, events } = await run({ provider: [entry('messages'), entry('chat')] });
    expect(result.answer).toBe('All of it.');
    expect(failureCodes(events)).toEqual(['model_overloaded', 'model_overloaded']);
    const steps = types(events).filter((type) => type === 'retry.scheduled' || type === 'fallback.chosen');
    expect(steps).toEqual(['retry.scheduled', 'fallback.chosen']);
  });

  theCase('retry-after over the budget', async () => {
    const busy: Scenario = { status: 429, headers: { 'retry-after': '600' } };
    answer = ({ api }) => (api === 'messages' ? busy : OK);
    const limited = { budget: { wallSeconds: 60 }, limits: { attempts: 3, backoffCapMs: 900_000 } };
    const chained = await run({ provider: [entry('messages'), entry('chat')], ...limited });
    expect(chained.result.answer).toBe('All of it.');
    expect(requests.map(({ api }) => api)).toEqual(['messages', 'chat']);
    const alone = await run({ provider: entry('messages'), ...limited });
    expect(alone.result).toMatchObject({ status: 'budget', exitCode: 4 });
    expect(alone.result.reason).toContain('wallSeconds');
    expect(types(alone.events)).not.toContain('retry.scheduled');
    expect(alone.result.usage.wallSeconds).toBeLessThan(60);
  });

  theCase('endless refresh', async () => {
    const authorization = (request: WireRequest) => String(request.headers['authorization']);
    answer = (request) => {
      if (authorization(request) !== 'Bearer second-key-2') return { status: 401 };
      const asked = requests.filter((one) => authorization(one) === authorization(request)).length;
      return asked === 1 ? { status: 529 } : OK;
    };
    const provider = [
      entry('messages', { credentialCommand: 'echo printed-key-$$' }),
      entry('chat', { apiKeyEnv: 'SECOND_KEY' }),
    ];
    const { result, events } = await run({ provider });
    expect(result.answer).toBe('All of it.');
    expect(only(events, 'credential.requested')).toHaveLength(2);
    expect(requests.map(({ api }) => api)).toEqual(['messages', 'messages', 'messages', 'chat', 'chat']);
    expect(new Set(requests.slice(0, 3).map(authorization)).size).toBe(3);
  });

  const judged = { verify: { judge: 'on' } } as const;
  const writerOr =
    (judge: Scenario) =>
    (request: WireRequest): Scenario =>
      JSON.stringify(request.messages).includes('You judge a report') ? judge : OK;

  theCase('judge answers 429', async () => {
    answer = writerOr({ status: 429 });
    const { result, events } = await run({ provider: entry('responses'), ...judged, limits: { replans: 2 } });
    expect(result).toMatchObject({ status: 'indeterminate', exitCode: 3 });
    expect(result.verdict).toMatchObject({ outcome: 'indeterminate', tier: 'judge' });
    expect(types(events)).not.toContain('replan.started');
  });

  theCase('judge forgets the score', async () => {
    answer = writerOr({ reply: { text: '{"failing":["tone"]}' } });
    const { result, events } = await run({ provider: entry('chat'), ...judged, limits: { replans: 2 } });
    expect(result.verdict).toMatchObject({ outcome: 'indeterminate', tier: 'judge' });
    expect(only(events, 'model.requested').map(({ key }) => key)).toEqual(['w/1/1', 'judge/1', 'judge/1/2']);
    expect(types(events)).not.toContain('replan.started');
  });

  theCase('empty answer', async () => {
    answer = () => ({ reply: {} });
    const { result, events } = await run({ provider: entry('messages') });
    expect(result).toMatchObject({ status: 'failed', answer: null, failure: { code: 'model_empty' } });
    // Two attempts of the node, with two of the question each.
    expect(requests).toHaveLength(4);
    expect(only(events, 'node.done')).toEqual([]);
  });

  theCase('two concatenated argument objects', async () => {
    const call = { id: 'a', name: 'look', args: '{"city":"Paris"}{"city":"Rome"}' };
    answer = () => ({ reply: { toolCalls: [call] } });
    const { result, events } = await run({ provider: entry('chat') });
    expect(result.failure?.code).toBe('model_malformed');
    expect(only(events, 'model.answered')).toEqual([]);
  });

  theCase('cached tokens', async () => {
    const usage = { input: 1010, output: 50, cacheRead: 900, cacheWrite: 100 };
    answer = () => ({ reply: { text: 'All of it.', usage } });
    const m = { inputPerMTok: 10, outputPerMTok: 50, cacheReadPerMTok: 1, cacheWritePerMTok: 12.5 };
    const { result } = await run({ provider: entry('messages'), prices: { m } });
    expect(result.usage).toMatchObject({ inputTokens: 1010, outputTokens: 50 });
    expect(result.usage.costUsd).toBeCloseTo((10 * 10 + 900 * 1 + 100 * 12.5 + 50 * 50) / 1e6, 9);
  });

  theCase('abort during the first tool', async () => {
    const controller = new AbortController();
    answer = () => OK;
    const stop = echoTool('stop', {
      run: () =>
        new Promise((resolve) => {
          controller.abort();
          setTimeout(resolve, 5, 'late');
        }),
    });
    const { result, events } = await run(
      { provider: entry('chat'), concurrency: 1 },
      {
        tools: [stop, writer()],
        plan: JSON.stringify(
          plan(
            node('first', { tool: 'write' }),
            node('then', { tool: 'stop', deps: ['first'] }),
            node('w', { tool: 'write', deps: ['then'] }),
          ),
        ),
        signal: controller.signal,
      },
    );
    expect(result).toMatchObject({
      status: 'interrupted',
      exitCode: 130,
      usage: { inputTokens: 11, outputTokens: 7 },
    });
    const at = events.findIndex(({ type }) => type === 'cancel.requested');
    expect(at).toBeGreaterThan(0);
    const after = types(events.slice(at));
    expect(after).not.toContain('node.started');
    expect(after).not.toContain('model.requested');
    expect(requests).toHaveLength(1);
  });

  theCase('text cut by length', async () => {
    answer = () => ({ reply: { text: 'The three risks are: 1. cost, 2.', stop: 'length' } });
    const { result, events } = await run(
      { provider: entry('chat') },
      { tools: [writer({ maxOutputTokens: 50 })] },
    );
    expect(result).toMatchObject({ status: 'failed', answer: null, failure: { code: 'model_truncated' } });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([50, 500]);
    expect(only(events, 'node.done')).toEqual([]);
  });

  theCase('refusal as text', async () => {
    for (const reply of [{ text: 'I will not.', stop: 'refusal' }, { stop: 'refusal' }] as const) {
      requests = [];
      answer = () => ({ reply });
      const { result } = await run(
        { provider: entry('messages') },
        { plan: JSON.stringify(plan(node('w', { tool: 'write' }), node('out', { deps: ['w'] }))) },
      );
      expect(result).toMatchObject({ status: 'failed', failure: { code: 'model_refused' } });
      expect(result.nodes.map(({ state }) => state)).toEqual(['failed', 'skipped']);
      expect(requests).toHaveLength(1);
    }
  });

  theCase('judge rejects', async () => {
    answer = writerOr({ reply: { text: '{"accept":false,"critique":"wrong"}' } });
    const misformed = await run({ provider: entry('chat'), ...judged });
    expect(misformed.result.verdict).toMatchObject({ outcome: 'indeterminate', tier: 'judge' });
    expect(requests).toHaveLength(3);
    answer = writerOr({ reply: { text: '{"score":0.1,"issues":["wrong"]}' } });
    const { result } = await run({ provider: entry('chat'), verify: { judge: 'on', revisions: 0 } });
    expect(result).toMatchObject({
      status: 'rejected',
      exitCode: 3,
      verdict: { outcome: 'fail', score: 0.1 },
    });
    expect(result.verdict?.reasons).toContain('wrong');
    answer = writerOr({ reply: { text: '{"score":1,"issues":[]}' } });
    expect((await run({ provider: entry('chat'), ...judged })).result.status).toBe('verified');
  });

  theCase('two calls cross the budget', async () => {
    const wait = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));
    answer = async (_, before) => {
      await wait(before === 0 ? 50 : 400);
      const usage = { input: before === 0 ? 800 : 20, output: 100 };
      return { reply: { text: before === 0 ? 'A.' : 'B.', usage } };
    };
    const ask = { maxOutputTokens: 300 };
    const { result, events } = await run(
      { provider: entry('chat'), budget: { tokens: 1000, finalReserve: 0 }, concurrency: 2 },
      {
        tools: [writer(ask)],
        plan: JSON.stringify(
          plan(
            ...[node('a', { tool: 'write' }), node('b', { tool: 'write' })],
            node('c', { tool: 'write', deps: ['a'] }),
            node('w', { tool: 'write', deps: ['b', 'c'] }),
          ),
        ),
      },
    );
    expect(only(events, 'budget.overrun')).toMatchObject([{ key: 'a/1/1', dimension: 'tokens', used: 900 }]);
    const overrun = events.findIndex(({ type }) => type === 'budget.overrun');
    expect(types(events.slice(overrun))).not.toContain('node.started');
    expect(requests).toHaveLength(2);
    expect(only(events, 'node.done').map(({ node: id }) => id)).toEqual(['a', 'b']);
    expect(result).toMatchObject({
      status: 'budget',
      exitCode: 4,
      usage: { inputTokens: 820, outputTokens: 200 },
    });
    expect(result.partial).toContain('A.');
  });
});

it('no case is left out', () => {
  expect(covered.toSorted()).toEqual(CASES.map(({ name }) => name).toSorted());
});
