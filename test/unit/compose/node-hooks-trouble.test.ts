/* Hooks around questions to a person and delegations, where they are late, or a process dies, or a run is forked. */
import { describe, expect, it } from 'vitest';
import type { Hooks } from '../../../src/contracts/hooks.ts';
import { forkTask, orchestrate, resumeTask } from '../../../src/index.ts';
import { speaking } from '../../support/agent-run.ts';
import { cutOff } from '../../support/composed.ts';
import { node, only, plan } from '../../support/core.ts';
import { ASK, given, go, HAND, holds, listening, runHooked, without } from '../../support/node-hooks.ts';

describe('hooks of such nodes', () => {
  it('that do not answer in the time of a call keep it from being made', async () => {
    const task = {
      ...{ name: 'hooked', goal: 'Go.', verify: { judge: 'off' as const }, agent: {} },
      limits: { nodeTimeoutMs: 50, replans: 0 },
    };
    const { result } = await runHooked(
      [ASK, go('ask')],
      { preToolCall: () => new Promise(() => undefined) },
      { task },
    );
    expect(result).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('preToolCall did not answer within 50 ms') as string,
    });
  });

  it('do not hold a run beyond the time of its budget', async () => {
    const task = {
      ...{ name: 'hooked', goal: 'Go.', verify: { judge: 'off' as const }, agent: {} },
      budget: { wallSeconds: 0.2 },
    };
    const provider = speaking({
      planner: () => JSON.stringify(plan(ASK, go('ask'))),
      finalizer: () => 'Nothing.',
    });
    const hooks: Hooks = {
      preToolCall: ({ tool }) => (tool.name === 'ask_human' ? new Promise(() => undefined) : undefined),
    };
    const { result } = await runHooked([ASK, go('ask')], hooks, { task, provider });
    expect(result.status).toBe('budget');
    expect(result.usage.wallSeconds).toBeLessThan(2);
  });

  it('that never answer do not keep a cancelled run from ending, nor its process alive', async () => {
    const options = given([ASK, go('ask')], { hooks: { preToolCall: () => new Promise(() => undefined) } });
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const controller = new AbortController();
    const result = await orchestrate({
      ...options,
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'hooks.requested') controller.abort();
      },
    });
    expect(result.status).toBe('interrupted');
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(timers).toBeLessThanOrEqual(before);
    await holds(options.store, await options.store.read('r'));
  });

  it('are asked again wherever a process died, and the end is the same', async () => {
    const told: string[] = [];
    const hooks: Hooks = {
      preToolCall: ({ tool, args }) => {
        told.push(`before ${tool.name}`);
        return tool.name === 'ask_human' && args['question'] !== 'Which town?'
          ? { args: { question: 'Which town?' } }
          : undefined;
      },
      postToolCall: ({ tool }, outcome) => {
        told.push(`after ${tool.name}`);
        return outcome.ok && tool.name === 'delegate' ? { value: 'Seen.' } : undefined;
      },
    };
    const nodes = [ASK, HAND, node('go', { args: { value: [{ $ref: 'ask' }, { $ref: 'hand' }] } })];
    const whole = given(nodes, { hooks });
    expect(await orchestrate(whole)).toMatchObject({ answer: ['Oslo', 'Seen.'] });
    const events = await whole.store.read('r');
    const again = without(given(nodes, { hooks }), 'task');
    for (let end = 4; end < events.length; end++) {
      if (events[end - 1]?.type === 'run.finished') break;
      const store = await cutOff('r', events.slice(0, end));
      const result = await resumeTask('r', { ...again, store });
      expect([end, result.answer]).toEqual([end, ['Oslo', 'Seen.']]);
      await holds(store, await store.read('r'));
    }
  });

  it('are not asked by a process that has none about what those before were to say', async () => {
    const { hooks } = listening('delegate', undefined, 'Seen.');
    const whole = given([HAND, go('hand')], { hooks });
    await orchestrate(whole);
    const events = await whole.store.read('r');
    const cut = events.findLastIndex(({ type }) => type === 'hooks.requested');
    const store = await cutOff('r', events.slice(0, cut + 1));
    const again = without(whole, 'task', 'hooks');
    expect(await resumeTask('r', { ...again, store })).toMatchObject({ answer: 'Looked.' });
    await holds(store, await store.read('r'));
  });

  it('are asked anew about what a fork has still to do', async () => {
    const first = listening('ask_human', undefined);
    const whole = given([ASK, go('ask')], { hooks: first.hooks });
    await orchestrate(whole);
    const second = listening('ask_human', undefined, 'Rome');
    const again = without(whole, 'task', 'runId');
    const forked = await forkTask('r', { ...again, hooks: second.hooks, at: 'ask' });
    expect(forked.answer).toBe('Rome');
    expect(second.told).toHaveLength(2);
  });

  it('are not asked about a log that says nothing of them', async () => {
    const options = given([ASK, HAND, go('ask')]);
    await orchestrate(options);
    const events = await options.store.read('r');
    expect([...only(events, 'hooks.requested'), ...only(events, 'node.hooked')]).toEqual([]);
  });
});
