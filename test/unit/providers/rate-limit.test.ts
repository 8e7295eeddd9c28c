import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { rateLimited } from '../../../src/providers/rate-limit.ts';
import { ScriptedProvider } from '../../../src/providers/scripted.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('starts calls in order, no more in a minute than it may, and none that was aborted while it waited', async () => {
  const scripted = new ScriptedProvider(['a', 'b', 'd'].map((reply) => ({ reply })));
  const provider = rateLimited(scripted, { requestsPerMinute: 2 });
  const controller = new AbortController();
  const calls = ['a', 'b', 'c', 'd'].map((key) => {
    const request: ModelRequest = { role: key, model: '', messages: [], maxOutputTokens: 10 };
    const signal = key === 'c' ? controller.signal : new AbortController().signal;
    return provider.complete(request, { key, signal }).then(({ text }) => text);
  });
  const outcome = Promise.allSettled(calls);
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(1000);
  const reason = new Error('not any more');
  controller.abort(reason);
  await vi.advanceTimersByTimeAsync(58_000);
  expect(scripted.calls.map(({ key }) => key)).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await outcome).toEqual([
    { status: 'fulfilled', value: 'a' },
    { status: 'fulfilled', value: 'b' },
    { status: 'rejected', reason },
    { status: 'fulfilled', value: 'd' },
  ]);
  scripted.assertConsumed();
});

it('starts no more tokens in a minute than it may; a call of more than that has a minute of its own', async () => {
  const scripted = new ScriptedProvider(['a', 'b', 'c', 'd'].map((reply) => ({ reply })));
  const provider = rateLimited(scripted, { tokensPerMinute: 1000 });
  const started: string[] = [];
  const ask = (key: string, tokens: number): void => {
    const messages = [{ role: 'user', content: 'x'.repeat(400) }] as const;
    const request: ModelRequest = { role: key, model: '', messages, maxOutputTokens: tokens - 100 };
    void provider
      .complete(request, { key, signal: new AbortController().signal })
      .then(({ text }) => started.push(text));
  };
  ask('a', 500);
  ask('b', 500);
  ask('c', 5000);
  ask('d', 200);
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(58_000);
  expect(started).toEqual(['a', 'b']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(started).toEqual(['a', 'b', 'c']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  scripted.assertConsumed();
});
