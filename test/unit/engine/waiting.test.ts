import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../../src/contracts/model.ts';
import type { Provider, ProviderContext } from '../../../src/contracts/ports.ts';
import type { TaskInput } from '../../../src/contracts/task.ts';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import { answer, echoTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const PLAN = answer(JSON.stringify(plan(node('a'))));

/** A provider whose calls wait for their turn, and then take their time. */
function waiting(clock: ManualClock, waitMs: number, workMs: number): Provider {
  const pass = (delayMs: number, { signal }: ProviderContext): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      clock.setTimer(delayMs, resolve);
    });
  return {
    name: 'given',
    complete: async (_request, context): Promise<ModelAnswer> => {
      context.onWait?.();
      await pass(waitMs, context);
      context.onTurn?.();
      await pass(workMs, context);
      return PLAN;
    },
  };
}

async function run(waitMs: number, workMs: number, budget: TaskInput['budget'] = {}) {
  const clock = new ManualClock(0);
  const { driver, events } = engineRun({
    tools: [echoTool()],
    task: task({
      budget,
      limits: { modelTimeoutMs: 1000, attempts: budget.wallSeconds === undefined ? 1 : 2 },
    }),
    provider: waiting(clock, waitMs, workMs),
    clock,
  });
  const state = await clock.runUntil(driver.run());
  const failures = only(events, 'model.failed').map(({ failure, usage }) => ({ code: failure.code, usage }));
  return { state, failures, endedAt: clock.now() };
}

describe('a call that waits for its turn', () => {
  it('has all of its time from then on', async () => {
    const { state, failures, endedAt } = await run(10_000, 900);
    expect(failures).toEqual([]);
    expect(state.finished?.status).toBe('unverified');
    expect(endedAt).toBeGreaterThanOrEqual(10_900);
  });

  it('and no more than that', async () => {
    const { failures, endedAt } = await run(10_000, 5000);
    expect(failures).toEqual([{ code: 'timeout', usage: undefined }]);
    expect(endedAt).toBeGreaterThanOrEqual(11_000);
    expect(endedAt).toBeLessThan(15_000);
  });

  it('waits no longer than the run has time', async () => {
    const { state, failures, endedAt } = await run(60_000, 0, { wallSeconds: 5 });
    expect(failures).toEqual([{ code: 'timeout', usage: undefined }]);
    expect(endedAt).toBeLessThan(10_000);
    expect(state.finished?.status).toBe('budget');
  });
});
