import { afterEach, describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelDelta } from '../../../src/contracts/model.ts';
import type { Provider } from '../../../src/contracts/ports.ts';
import { answer, askingTool, node, only, plan, task } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const PLAN = JSON.stringify(plan(node('w', { tool: 'write' })));

/** Says an answer in two pieces. */
const inPieces: Provider = {
  name: 'given',
  complete: async ({ role }, context) => {
    const text = role === 'planner' ? PLAN : 'Lima lies at the sea.';
    context.onDelta?.(text.slice(0, 5));
    await Promise.resolve();
    context.onDelta?.(text.slice(5));
    return answer(text);
  },
};

function run(provider: Provider, onDelta: (delta: ModelDelta) => void): ReturnType<typeof engineRun> {
  return engineRun({ tools: [askingTool], task: task(), provider, ports: { onDelta } });
}

describe('pieces of an answer', () => {
  it('are told as they come, each with its call, who asks, and for which node', async () => {
    const deltas: ModelDelta[] = [];
    const { driver } = run(inPieces, (delta) => deltas.push(delta));
    await driver.run();
    const own = { key: 'plan/1', role: 'planner' };
    const asked = { key: 'w/1/1', role: 'writer', node: 'w' };
    expect(deltas).toEqual([
      { ...own, text: PLAN.slice(0, 5) },
      { ...own, text: PLAN.slice(5) },
      { ...asked, text: 'Lima ' },
      { ...asked, text: 'lies at the sea.' },
    ]);
  });

  it('of a call that is aborted are told no more', async () => {
    const deltas: string[] = [];
    const { driver, events } = run(
      {
        name: 'given',
        complete: (_request, context) =>
          new Promise<ModelAnswer>((_resolve, reject) => {
            context.onDelta?.('before');
            context.signal.addEventListener('abort', () => {
              context.onDelta?.('after');
              reject(context.signal.reason as Error);
            });
          }),
      },
      ({ text }) => {
        deltas.push(text);
        driver.cancel('enough');
      },
    );
    const state = await driver.run();
    expect(state.isInterrupted).toBe(true);
    expect(only(events, 'model.failed')).toMatchObject([{ failure: { code: 'aborted' } }]);
    expect(deltas).toEqual(['before']);
  });

  describe('whose observer throws', () => {
    const uncaught: unknown[] = [];
    const listeners = process.listeners('uncaughtException');
    afterEach(() => {
      process.removeAllListeners('uncaughtException');
      for (const listener of listeners) process.on('uncaughtException', listener);
    });

    it('leave the call alone', async () => {
      process.removeAllListeners('uncaughtException');
      process.on('uncaughtException', (error) => uncaught.push(error));
      const defect = new Error('a defect of the observer');
      const { driver, events } = run(inPieces, () => {
        throw defect;
      });
      const state = await driver.run();
      expect(state.finished?.status).toBe('unverified');
      expect(only(events, 'model.failed')).toEqual([]);
      expect(uncaught).toEqual([defect, defect, defect, defect]);
    });
  });
});
