/*
 * A real small model over HTTP. It is asked for structure, usage and manners, never for wisdom: its words and its
 * judgements are noise.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { answerFailure } from '../../src/contracts/answer-failure.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { orchestrate, planTask } from '../../src/index.ts';
import { resolveProvider } from '../../src/providers/resolve.ts';
import { ask } from '../support/api-providers.ts';
import { echoTool, node, only, plan } from '../support/core.ts';
import { type LlmServer, startLlmServer } from '../support/llm-server.ts';

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

/** The server now and then drops a connection that was kept open: what a retry is for. */
function expectOnlyLostConnections(events: readonly FlightEvent[]): void {
  for (const { failure } of only(events, 'model.failed')) {
    expect(failure).toMatchObject({ code: 'model_unreachable', class: 'TRANSIENT' });
  }
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

  it('writes the report of city-compare from its look-ups, or none', async () => {
    const folder = join(import.meta.dirname, '../../examples/city-compare');
    const file = join(folder, 'city-compare.yaml');
    const drawn = await planTask({ task: file });
    if (!drawn.ok) throw new Error(drawn.reason);
    const events: FlightEvent[] = [];
    const result = await orchestrate({
      task: {
        ...(parse(readFileSync(file, 'utf8')) as TaskInput),
        provider: entry(),
        verify: { judge: 'on', revisions: 0 },
        limits: { attempts: 3, backoffMs: 50, replans: 0, maxOutputTokens: 200 },
        memory: { contextChars: 1500 },
      },
      plan: JSON.stringify(drawn.plan),
      workspace: folder,
      env: { LLM_KEY: server?.apiKey },
      runsFolder: null,
      onEvent: (event) => events.push(event),
    });
    expect(['verified', 'rejected', 'indeterminate', 'failed']).toContain(result.status);
    expect(result.failure?.code ?? 'model_truncated').toBe('model_truncated');
    expect(only(events, 'node.done').length).toBeGreaterThanOrEqual(9);
    expect(only(events, 'model.requested')[0]).toMatchObject({ role: 'aggregator', provider: 'compatible' });
    expectOnlyLostConnections(events);
    expect(result.usage.inputTokens).toBeGreaterThan(100);
    expect(result.usage.outputTokens).toBeGreaterThan(0);
    expect(result.usage.costUsd).toBe(0);
    expect(replay(events, true)).toMatchObject({ isComplete: true, divergence: null });
    // It may talk until it is cut; then there is no report, rather than half a one.
    expect(result.answer === null).toBe(result.status === 'failed');
  });

  it('judges a report, and whatever it says is a verdict', async () => {
    const events: FlightEvent[] = [];
    const result = await orchestrate({
      task: {
        name: 'judged',
        goal: 'State the capital of France.',
        provider: entry(),
        verify: { judge: 'required', revisions: 0, checks: [{ includes: 'Paris' }] },
        limits: { attempts: 3, backoffMs: 50, replans: 0, maxOutputTokens: 150 },
      },
      tools: [echoTool()],
      plan: JSON.stringify(plan(node('report', { args: { value: 'The capital of France is Paris.' } }))),
      env: { LLM_KEY: server?.apiKey },
      runsFolder: null,
      onEvent: (event) => events.push(event),
    });
    const outcome = only(events, 'verdict.reached')[0]?.verdict.outcome;
    expect(only(events, 'model.requested')[0]).toMatchObject({ role: 'critic', key: 'judge/1' });
    expectOnlyLostConnections(events);
    const statuses = { pass: 'verified', fail: 'rejected', indeterminate: 'indeterminate' };
    expect(result.status).toBe(outcome === undefined ? 'judged' : statuses[outcome]);
    expect(result.exitCode).toBe(outcome === 'pass' ? 0 : 3);
    expect(result.usage.inputTokens).toBeGreaterThan(50);
  });
});
