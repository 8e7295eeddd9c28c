import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { rateLimitedRun } from '../../../src/tools/rate-limit.ts';
import { createToolContext } from '../../support/tool-context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('starts no more calls in a minute than it may, and none that was aborted while it waited', async () => {
  const started: unknown[] = [];
  const run = rateLimitedRun((args) => {
    started.push(args);
    return args;
  }, 2);
  const controller = new AbortController();
  const calls = [1, 2, 3, 4].map((number) =>
    run(number, createToolContext(number === 3 ? { signal: controller.signal } : {})),
  );
  const outcome = Promise.allSettled(calls);
  await vi.dynamicImportSettled();
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toEqual([1, 2]);
  const reason = new Error('not any more');
  controller.abort(reason);
  await vi.advanceTimersByTimeAsync(58_000);
  expect(started).toEqual([1, 2]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(started).toEqual([1, 2, 4]);
  expect((await outcome).slice(2)).toEqual([
    { status: 'rejected', reason },
    { status: 'fulfilled', value: 4 },
  ]);
});
