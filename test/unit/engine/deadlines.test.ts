import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import { echoTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const ONE = { limits: { attempts: 1, replans: 0 } };

describe('a call that does not return in time', () => {
  it('is aborted at its deadline and fails as a timeout, whatever it returns then', async () => {
    const clock = new ManualClock(1000);
    const abortedAt: number[] = [];
    const slow = echoTool('slow', {
      timeoutMs: 500,
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            abortedAt.push(clock.now());
            resolve('too late');
          });
        }),
    });
    const { driver, events } = engineRun({
      tools: [slow],
      task: task(ONE),
      plan: plan(node('a', { tool: 'slow' })),
      clock,
    });
    const state = await clock.runUntil(driver.run());
    expect(abortedAt).toEqual([1500]);
    expect(only(events, 'attempt.failed')).toMatchObject([
      { node: 'a', failure: { code: 'timeout', class: 'TRANSIENT' } },
    ]);
    expect(only(events, 'attempt.failed')[0]).not.toHaveProperty('lingering');
    expect(state.finished?.status).toBe('failed');
  });

  it('keeps the late result of a call that changed the world', async () => {
    const clock = new ManualClock(0);
    const slow = echoTool('put', {
      effect: 'write',
      timeoutMs: 100,
      run: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve('written');
          });
        }),
    });
    const { driver } = engineRun({
      tools: [slow],
      task: task(ONE),
      plan: plan(node('a', { tool: 'put' })),
      clock,
    });
    const state = await clock.runUntil(driver.run());
    expect(state.nodes.get('a')).toMatchObject({ status: 'done', value: 'written' });
  });

  it('keeps its slot while it ignores the abort, until the grace ends, and is then said to linger', async () => {
    const clock = new ManualClock(0);
    const deaf = echoTool('deaf', { timeoutMs: 100, run: () => new Promise(() => undefined) });
    const { driver, events } = engineRun({
      tools: [deaf, echoTool()],
      task: task({ ...ONE, concurrency: 1, limits: { attempts: 1, graceMs: 300 } }),
      plan: plan(node('a', { tool: 'deaf', optional: true }), node('b'), node('end', { deps: ['a', 'b'] })),
      clock,
    });
    await clock.runUntil(driver.run());
    const ended = events.find((event) => event.type === 'attempt.failed');
    expect(ended).toMatchObject({ at: 400, lingering: true, failure: { code: 'timeout' } });
    expect(events.find((event) => event.type === 'node.started' && event.node === 'b')?.at).toBe(400);
  });

  it('gives each attempt a deadline of its own', async () => {
    const clock = new ManualClock(0);
    const attempts: number[] = [];
    const slow = echoTool('slow', {
      timeoutMs: 100,
      run: (_, { signal }) => {
        attempts.push(clock.now());
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        });
      },
    });
    const { driver } = engineRun({
      tools: [slow],
      task: task({ limits: { attempts: 3, backoffMs: 100 } }),
      plan: plan(node('a', { tool: 'slow' })),
      clock,
    });
    await clock.runUntil(driver.run());
    expect(attempts).toEqual([0, 150, 350]);
  });
});
