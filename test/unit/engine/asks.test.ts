import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ManualClock } from '../../../src/engine/manual-clock.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { createDeferred, ScriptedProvider } from '../../../src/testing.ts';
import { defineTool } from '../../../src/tools/define-tool.ts';
import { answer, askingTool, node, only, plan, task, types } from '../../support/core.ts';
import { engineRun } from '../../support/engine-run.ts';

const ONE = { limits: { attempts: 1, replans: 0 } };

describe('ctx.ask', () => {
  const writing = {
    tools: [askingTool],
    task: task(ONE),
    plan: plan(node('w', { tool: 'write', args: { about: 'Lima' } })),
  };

  it('is a call with a key, a reservation and a request of its own in the log', async () => {
    const provider = new ScriptedProvider([{ role: 'writer', reply: 'About Lima.' }]);
    const { driver, events } = engineRun({ ...writing, provider });
    const state = await driver.run();
    provider.assertConsumed();
    expect(state.nodes.get('w')?.value).toBe('About Lima.');
    expect(only(events, 'ask.received')).toMatchObject([
      { key: 'w/1/1', node: 'w', attempt: 1, role: 'writer', request: { prompt: '"Lima"' } },
    ]);
    expect(only(events, 'model.requested')).toMatchObject([{ key: 'w/1/1', role: 'writer', node: 'w' }]);
  });

  it.each([
    ['cut by length', { text: 'half a', stop: 'length' } as const, 'model_truncated'],
    ['refused', { text: 'I cannot', stop: 'refusal' } as const, 'model_refused'],
    ['empty', { text: '  ' } as const, 'model_empty'],
  ])('throws a typed error where the answer is %s', async (_, reply, code) => {
    const provider = new ScriptedProvider([{ role: 'writer', reply: { ...answer(''), ...reply } }]);
    const { driver, events } = engineRun({ ...writing, provider });
    const state = await driver.run();
    expect(only(events, 'ask.failed')).toMatchObject([{ key: 'w/1/1', failure: { code } }]);
    expect(only(events, 'node.failed')).toMatchObject([{ node: 'w', failure: { code } }]);
    expect(state.finished?.status).toBe('failed');
  });

  it('is tried again after a transient failure, and the tool sees only the answer', async () => {
    const provider = new ScriptedProvider([
      { role: 'writer', reply: new OrchestratorError('model_overloaded', '529') },
      { role: 'writer', reply: 'at last' },
    ]);
    const { driver, events } = engineRun({ ...writing, task: task({ limits: { backoffMs: 0 } }), provider });
    const state = await driver.run();
    expect(state.nodes.get('w')?.value).toBe('at last');
    expect(only(events, 'model.requested').map(({ key }) => key)).toEqual(['w/1/1', 'w/1/1#2']);
  });

  it('is aborted with the call that asked', async () => {
    const clock = new ManualClock(0);
    const reply = createDeferred<string>();
    const provider = new ScriptedProvider([{ role: 'writer', reply: reply.promise }]);
    const { driver, events } = engineRun({
      ...writing,
      tools: [{ ...askingTool, spec: { ...askingTool.spec, timeoutMs: 100 } }],
      provider,
      clock,
    });
    await clock.runUntil(driver.run());
    expect(only(events, 'attempt.failed')).toMatchObject([{ failure: { code: 'timeout' } }]);
    expect(types(events)).not.toContain('model.answered');
  });

  it('refuses a malformed question with what is wrong', async () => {
    const bad = defineTool({
      name: 'bad',
      description: 'Asks badly.',
      input: z.strictObject({}),
      costHint: 1,
      effect: 'read',
      run: (_, context) => context.ask('writer', { prompt: 3 } as never),
    });
    const { driver, events } = engineRun({
      tools: [bad],
      task: task(ONE),
      plan: plan(node('a', { tool: 'bad' })),
    });
    await driver.run();
    expect(only(events, 'node.failed')[0]?.failure.message).toMatch(/ctx\.ask\("writer"\).*prompt/);
  });
});
