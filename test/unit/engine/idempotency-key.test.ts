import { describe, expect, it } from 'vitest';
import { ToolError } from '../../../src/kernel/errors.ts';
import { answer, askingTool, echoTool, node, plan, task } from '../../support/core.ts';
import { type EngineRun, engineRun, resumedRun } from '../../support/engine-run.ts';

/** A tool that notes the idempotency keys that its calls were given, and is busy at first where it is told so. */
function notingTool(keys: string[], { isBusy = false } = {}) {
  let calls = 0;
  return echoTool('note', {
    effect: 'write',
    idempotent: true,
    run: (_, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (++calls === 1 && isBusy) throw new ToolError('TRANSIENT', 'busy');
      return 'noted';
    },
  });
}

const SETTINGS = task({ limits: { backoffMs: 1 } });

describe('the idempotency key of a call', () => {
  it('is that of every attempt, and of no other call', async () => {
    const keys: string[] = [];
    const nodes = plan(
      node('a', { tool: 'note', args: { value: 1 } }),
      node('b', { tool: 'note', args: { value: 1 }, deps: ['a'] }),
      node('a/1', { tool: 'note', args: { value: 1 }, deps: ['b'] }),
    );
    await engineRun({
      tools: [notingTool(keys, { isBusy: true })],
      task: SETTINGS,
      plan: nodes,
    }).driver.run();
    expect(keys).toHaveLength(4);
    expect(keys[1]).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^test\//);
  });

  it('is the same after a crash, and another with other arguments', async () => {
    const keys: string[] = [];
    const run: EngineRun = {
      ...{ tools: [notingTool(keys)], task: SETTINGS },
      plan: plan(node('a', { tool: 'note', args: { value: 1 } })),
    };
    const { driver, events } = engineRun(run);
    await driver.run();
    const started = events.findIndex(({ type }) => type === 'node.started');
    await resumedRun(run, events.slice(0, started + 1)).driver.run();
    expect(keys[1]).toBe(keys[0]);
    const other = { ...run, plan: plan(node('a', { tool: 'note', args: { value: 2 } })) };
    await engineRun(other).driver.run();
    expect(keys[2]).not.toBe(keys[0]);
  });

  it('is another for a revision, which is to give another result', async () => {
    const keys: string[] = [];
    const replies = ['About Rome.', 'About Lima.'];
    const tool = {
      ...askingTool,
      run: (args: Parameters<typeof askingTool.run>[0], context: Parameters<typeof askingTool.run>[1]) => {
        keys.push(context.idempotencyKey);
        return askingTool.run(args, context);
      },
    };
    await engineRun({
      tools: [tool],
      task: task({ checks: [{ includes: 'Lima' }] }),
      plan: plan(node('a', { tool: 'write' })),
      provider: { name: 'p', complete: () => Promise.resolve(answer(replies.shift() ?? '')) },
    }).driver.run();
    expect(keys).toHaveLength(2);
    expect(keys[1]).not.toBe(keys[0]);
  });
});
