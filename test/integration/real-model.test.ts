/*
 * A real small model over HTTP. It is asked for structure, usage and manners, never for wisdom: its words and its
 * judgements are noise.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { answerFailure } from '../../src/contracts/answer-failure.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { schemaIssues } from '../../src/contracts/schema.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { orchestrate, planTask, type RunResult } from '../../src/index.ts';
import { resolveProvider } from '../../src/providers/resolve.ts';
import { ask } from '../support/api-providers.ts';
import { echoTool, node, only, plan } from '../support/core.ts';
import { type LlmServer, startLlmServer } from '../support/llm-server.ts';

/** What a busy machine may take for a whole run. */
const LONG_MS = 600_000;
const CITY_COMPARE = join(import.meta.dirname, '../../examples/city-compare/city-compare.yaml');

const started = await startLlmServer();
if ('missing' in started) console.warn(`no real model: ${started.missing}`);
const server: LlmServer | null = 'missing' in started ? null : started;
afterAll(() => server?.stop());

function connect(key = server?.apiKey ?? ''): Promise<Provider> {
  const baseUrl = server?.baseUrl ?? '';
  return resolveProvider('compatible', { env: { LLM_KEY: key }, baseUrl, apiKeyEnv: 'LLM_KEY' });
}

function request(content: string, rest: Partial<ModelRequest> = {}): ModelRequest {
  const messages = [{ role: 'user', content }] as const;
  return { role: 'tester', model: 'smollm2', messages, maxOutputTokens: 60, ...rest };
}

function entry(): TaskInput['provider'] {
  return {
    ...{ name: 'compatible', apiKeyEnv: 'LLM_KEY', model: 'smollm2' },
    ...(server === null ? {} : { baseUrl: server.baseUrl }),
  };
}

describe.skipIf(server === null)('a real model', () => {
  it('answers in a chat, in pieces that add up to the answer, and says what it used', async () => {
    const { answer, deltas } = await ask(await connect(), request('What is the capital of France?'));
    expect(answer).toMatchObject({ provider: 'compatible', model: 'smollm2' });
    expect(answer.text.trim()).not.toBe('');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe(answer.text);
    expect(answer.usage.inputTokens).toBeGreaterThan(5);
    expect(answer.usage.outputTokens).toBeGreaterThan(0);
    expect(answer.usage.outputTokens).toBeLessThanOrEqual(60);
    expect(answer.usage).not.toHaveProperty('estimated');
  });

  it('is said to be cut where the limit on its output cut it', async () => {
    const long = request('Tell a long story about a fisherman.', { maxOutputTokens: 8 });
    const { answer } = await ask(await connect(), long);
    expect(answer.stop).toBe('length');
    expect(answerFailure(answer)?.code).toBe('model_truncated');
  });

  it('keeps to a JSON Schema', async () => {
    const schema = {
      type: 'object',
      properties: {
        city: { type: 'string', maxLength: 20 },
        size: { type: 'string', enum: ['small', 'large'] },
        tags: { type: 'array', items: { type: 'string', maxLength: 10 }, maxItems: 2 },
      },
      required: ['city', 'size', 'tags'],
      additionalProperties: false,
    } as const;
    const format = { name: 'city', schema };
    const wanted = request('Describe Paris as JSON.', { format, maxOutputTokens: 200 });
    const { answer } = await ask(await connect(), wanted);
    expect(answer.stop).toBe('stop');
    const value = JSON.parse(answer.text) as Record<string, unknown>;
    expect(Object.keys(value).toSorted()).toEqual(['city', 'size', 'tags']);
    expect(['small', 'large']).toContain(value['size']);
  });

  it('is hung up on by an abort, and has time for the next at once', async () => {
    const provider = await connect();
    const controller = new AbortController();
    const reason = new Error('enough');
    const deltas: string[] = [];
    const long = request('Count from one to one thousand, in words.', { maxOutputTokens: 1500 });
    const call = provider.complete(long, {
      key: 'test/1',
      signal: controller.signal,
      onDelta: (text) => {
        deltas.push(text);
        if (deltas.length === 3) controller.abort(reason);
      },
    });
    await expect(call).rejects.toBe(reason);
    const seen = deltas.length;
    // The server has one slot: were the first call still going on, the second would wait half a minute for it.
    const startedAt = performance.now();
    await ask(provider, request('Say yes.', { maxOutputTokens: 3 }));
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await delay(50);
    expect(deltas).toHaveLength(seen);
  });

  it('refuses a wrong key, and the key is not told', async () => {
    const call = ask(await connect('wrong-key'), request('Hello.'));
    await expect(call).rejects.toMatchObject({
      code: 'model_unauthorized',
      retry: 'PERMANENT',
      message: expect.not.stringContaining('wrong-key') as string,
    });
  });

  it('refuses a prompt that is too long as a malformed request', async () => {
    const call = ask(await connect(), request('many words '.repeat(6000)));
    await expect(call).rejects.toMatchObject({ code: 'model_bad_request', retry: 'PERMANENT' });
  });

  it('calls the tool that it is made to call', async () => {
    const city = { type: 'string', enum: ['Paris', 'Rome'] } as const;
    const input = {
      type: 'object',
      properties: { city },
      required: ['city'],
      additionalProperties: false,
    } as const;
    const tools = [{ name: 'get_population', description: 'Looks up the population of a city.', input }];
    const wanted = request('How many people live in Paris?', {
      tools,
      toolChoice: 'required',
      maxOutputTokens: 100,
    });
    const { answer } = await ask(await connect(), wanted);
    expect(answer.stop).toBe('tool_calls');
    for (const { name, args } of answer.toolCalls ?? []) {
      expect(name).toBe('get_population');
      expect(schemaIssues(input, args)).toEqual([]);
    }
  });

  it('loses no call that follows a streamed one at once', async () => {
    const provider = await connect();
    for (let call = 1; call <= 10; call++) {
      const { answer } = await ask(provider, request('Say yes.', { maxOutputTokens: 3 }));
      expect(answer.usage.outputTokens).toBeGreaterThan(0);
    }
  });

  const PATIENT = { attempts: 1, modelTimeoutMs: LONG_MS, nodeTimeoutMs: LONG_MS } as const;

  it(
    'draws a plan that runs where its schema is strict, and all of city-compare comes to an honest end',
    async () => {
      const { result, events } = await runCityCompare({
        planner: { schema: 'strict', nodes: 5 },
        verify: { judge: 'on', revisions: 0 },
        limits: { ...PATIENT, replans: 0, planRounds: 1, maxOutputTokens: 600 },
      });
      // Its words are noise; that they are a plan is not.
      const [accepted] = only(events, 'plan.accepted');
      expect(accepted?.plan.nodes.map(({ id }) => id)).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
      expect(accepted?.plan.output).toBe('n5');
      expect(accepted?.plan.nodes.at(-1)).toMatchObject({
        tool: 'aggregate_report',
        deps: ['n1', 'n2', 'n3', 'n4'],
      });
      const drawn = only(events, 'model.answered').find(({ key }) => key === 'plan/1');
      expect(drawn?.answer.stop).toBe('stop');
      expect(drawn?.answer.usage.outputTokens).toBeGreaterThan(50);
      expect(only(events, 'node.done').length + only(events, 'node.reused').length).toBeGreaterThanOrEqual(1);
      expectHonest(result, events);
    },
    LONG_MS,
  );

  it(
    'is refused or repaired where the schema has no end and the plan was cut off',
    async () => {
      const { result, events } = await runCityCompare({
        verify: { judge: 'off' },
        limits: { ...PATIENT, replans: 0, planRounds: 2, maxOutputTokens: 120 },
      });
      const [first] = only(events, 'model.answered');
      expect(first).toMatchObject({ key: 'plan/1', answer: { stop: 'length' } });
      const [rejected] = only(events, 'plan.rejected');
      expect(rejected).toMatchObject({ key: 'plan/1', problems: [{ code: 'truncated_json' }] });
      expect(only(events, 'model.requested')[1]).toMatchObject({ key: 'plan/2', role: 'planner' });
      expectHonest(result, events);
    },
    LONG_MS,
  );

  it(
    'writes the report of city-compare from its look-ups, or none',
    async () => {
      const drawn = await planTask({ task: CITY_COMPARE });
      if (!drawn.ok) throw new Error(drawn.reason);
      const { result, events } = await runCityCompare(
        {
          verify: { judge: 'on', revisions: 0 },
          limits: { ...PATIENT, replans: 0, maxOutputTokens: 200 },
          memory: { contextChars: 1500 },
        },
        JSON.stringify(drawn.plan),
      );
      expect(only(events, 'node.done').length).toBeGreaterThanOrEqual(9);
      expect(only(events, 'model.requested')[0]).toMatchObject({
        role: 'aggregator',
        provider: 'compatible',
      });
      expectHonest(result, events);
    },
    LONG_MS,
  );

  it(
    'judges a report, and whatever it says is a verdict',
    async () => {
      const events: FlightEvent[] = [];
      const result = await orchestrate({
        task: {
          name: 'judged',
          goal: 'State the capital of France.',
          provider: entry(),
          verify: { judge: 'required', revisions: 0, checks: [{ includes: 'Paris' }] },
          limits: { ...PATIENT, replans: 0, maxOutputTokens: 150 },
        },
        tools: [echoTool()],
        plan: JSON.stringify(plan(node('report', { args: { value: 'The capital of France is Paris.' } }))),
        env: { LLM_KEY: server?.apiKey },
        runsFolder: null,
        onEvent: (event) => events.push(event),
      });
      const outcome = only(events, 'verdict.reached')[0]?.verdict.outcome;
      expect(only(events, 'model.requested')[0]).toMatchObject({ role: 'critic', key: 'judge/1' });
      expect(only(events, 'model.failed')).toEqual([]);
      const statuses = { pass: 'verified', fail: 'rejected', indeterminate: 'indeterminate' };
      expect(result.status).toBe(outcome === undefined ? 'judged' : statuses[outcome]);
      expect(result.exitCode).toBe(outcome === 'pass' ? 0 : 3);
      expect(result.usage.inputTokens).toBeGreaterThan(50);
    },
    LONG_MS,
  );
});

/** Runs the example with the real model, as its file says but for these settings. */
async function runCityCompare(settings: Partial<TaskInput>, planText?: string) {
  const events: FlightEvent[] = [];
  const file = parse(readFileSync(CITY_COMPARE, 'utf8')) as TaskInput;
  const verify = { ...file.verify, ...settings.verify };
  const budget = { ...file.budget, wallSeconds: LONG_MS / 1000 };
  const result = await orchestrate({
    task: { ...file, provider: entry(), ...settings, verify, budget },
    ...(planText === undefined ? {} : { plan: planText }),
    workspace: dirname(CITY_COMPARE),
    env: { LLM_KEY: server?.apiKey },
    runsFolder: null,
    onEvent: (event) => events.push(event),
  });
  return { result, events };
}

/** A run that ended as its log says: no call was lost, what was used is told, and a cut text is no report. */
function expectHonest(result: RunResult, events: readonly FlightEvent[]): void {
  expect(only(events, 'model.failed')).toEqual([]);
  expect(['verified', 'rejected', 'indeterminate', 'failed']).toContain(result.status);
  if (result.status === 'failed') {
    const codes = ['model_truncated', 'model_empty', 'plan_unobtainable', 'missing_info'];
    expect(codes).toContain(result.failure?.code);
  }
  expect(result.answer === null).toBe(result.status === 'failed');
  const used = only(events, 'model.answered').map(({ answer }) => answer.usage);
  expect(result.usage).toMatchObject({
    inputTokens: used.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: used.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    costUsd: 0,
  });
  for (const usage of used) expect(usage).not.toHaveProperty('estimated');
  expect(replay(events, true)).toMatchObject({ isComplete: true, divergence: null });
}
