/* Hooks around the nodes of a plan that no code outside does: questions to a person, and work handed to an agent. */
import { describe, expect, it } from 'vitest';
import { answerQuestion, orchestrate, previewResume, resumeTask } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { readRun } from '../../../src/views/read-run.ts';
import { explain } from '../../../src/views/why.ts';
import { calling, inTurn, speaking } from '../../support/agent-run.ts';
import { node, only, plan } from '../../support/core.ts';
import { ASK, given, go, HAND, holds, listening, runHooked, without } from '../../support/node-hooks.ts';

describe('a node that is a question to a person', () => {
  it('is shown to hooks before it is asked, and with its answer', async () => {
    const { hooks, told } = listening('ask_human', undefined);
    const { result, events } = await runHooked([ASK, go('ask')], hooks);
    expect(told).toEqual([
      ['before', 'ask', 'ask/1', { question: 'Which city?' }],
      ['after', 'ask', 'ask/1', 'Oslo'],
    ]);
    expect([result.answer, result.usage.toolCalls]).toEqual(['Oslo', 1]);
    expect(events.flatMap((event) => ('node' in event && event.node === 'ask' ? [event.type] : []))).toEqual([
      ...['hooks.requested', 'node.hooked', 'approval.requested', 'approval.decided'],
      ...['hooks.requested', 'node.hooked'],
    ]);
    expect(only(events, 'run.started')[0]?.hooks).toBe('all');
  });

  it('is asked with the arguments that a hook gave it, once', async () => {
    const { hooks, told } = listening('ask_human', { args: { question: 'Which town?' } });
    const { events } = await runHooked([ASK, go('ask')], hooks);
    expect(told).toHaveLength(2);
    expect(only(events, 'approval.requested')).toMatchObject([{ args: { question: 'Which town?' } }]);
    expect(explain(events, 'ask')).toContain('a hook changed it to {"question":"Which town?"}');
  });

  it('has the result that a hook puts in the place of the answer', async () => {
    const { hooks } = listening('ask_human', undefined, 'Rome');
    const { result, events } = await runHooked([ASK, go('ask')], hooks);
    expect(result.answer).toBe('Rome');
    expect(readRun(events).nodes.get('ask')).toMatchObject({ status: 'done', value: 'Rome' });
  });

  it('is not asked where a hook blocks it, and the run ends', async () => {
    const { hooks, told } = listening('ask_human', { block: 'not on a Friday' });
    const { result, events } = await runHooked([ASK, go('ask')], hooks);
    expect([result.status, told.length]).toEqual(['failed', 1]);
    expect(only(events, 'approval.requested')).toEqual([]);
    expect(only(events, 'node.refused')).toMatchObject([
      { node: 'ask', by: 'policy', reason: 'preToolCall: not on a Friday' },
    ]);
  });

  it('is refused where nobody answers, and a hook is told so and changes nothing', async () => {
    const { hooks, told } = listening('ask_human', undefined, 'Rome');
    const { result } = await runHooked([ASK, go('ask')], hooks, {
      approve: () => Promise.resolve({ decision: 'denied', by: 'ann', reason: 'no time' }),
    });
    expect(result.status).toBe('failed');
    expect(told.at(-1)).toEqual(['after', 'ask', 'ask/1', 'ann denied it: no time']);
  });

  it('is asked for each item', async () => {
    const { hooks, told } = listening('ask_human', undefined);
    const { result } = await runHooked(
      [
        node('list', { args: { value: ['A?', 'B?'] } }),
        node('ask', { tool: 'ask_human', args: { question: { $item: '' } }, foreach: { $ref: 'list' } }),
        go('ask'),
      ],
      hooks,
    );
    expect(result.answer).toEqual(['Oslo', 'Oslo']);
    expect(told.map((each) => (each as string[]).slice(0, 2).join(' ')).sort()).toEqual([
      ...['after ask[0]', 'after ask[1]', 'before ask[0]', 'before ask[1]'],
    ]);
  });

  it('is shown to them by the process that takes the run up with its answer', async () => {
    const first = given([ASK, go('ask')], { hooks: listening('ask_human', undefined).hooks });
    const alone = without(first, 'approve');
    expect(await orchestrate(alone)).toMatchObject({ status: 'waiting' });
    await answerQuestion(first.store, 'r', 'ask', { decision: 'done', by: 'ann', text: 'Oslo' });
    expect(await previewResume('r', { store: first.store })).toMatchObject({ keeps: ['ask'], reruns: [] });
    const { hooks, told } = listening('ask_human', undefined, 'Rome');
    expect(await resumeTask('r', { ...without(alone, 'task'), hooks })).toMatchObject({ answer: 'Rome' });
    expect(told).toEqual([['after', 'ask', 'ask/1', 'Oslo']]);
    await holds(first.store, await first.store.read('r'));
  });
});

describe('a node that is handed to an agent', () => {
  it('is shown to hooks before it begins, and with what came of it', async () => {
    const { hooks, told } = listening('delegate', undefined, 'Seen.');
    const { result, events } = await runHooked([HAND, go('hand')], hooks);
    expect(told).toEqual([
      ['before', 'hand', 'hand/1', { task: 'Look.' }],
      ['after', 'hand', 'hand/1', 'Looked.'],
    ]);
    expect(result.answer).toBe('Seen.');
    expect(only(events, 'node.done').find((event) => event.node === 'hand')?.value).toBe('Seen.');
  });

  it('begins with the arguments that a hook gave it, and not at all where a hook blocks it', async () => {
    const changed = await runHooked(
      [HAND, go('hand')],
      listening('delegate', { args: { task: 'Listen.' } }).hooks,
    );
    expect(only(changed.events, 'agent.started')).toMatchObject([{ task: 'Listen.' }]);
    const blocked = await runHooked([HAND, go('hand')], listening('delegate', { block: 'never' }).hooks);
    expect(only(blocked.events, 'agent.started')).toEqual([]);
    expect(blocked.result).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('never') as string,
    });
  });

  it('is shown to them again where the critic sends it back', async () => {
    const { hooks, told } = listening('delegate', undefined);
    const provider = speaking({
      planner: () => JSON.stringify(plan(HAND)),
      agent: inTurn('Looked.', 'Looked in Oslo.'),
    });
    const task = {
      ...{ name: 'hooked', goal: 'Go.', agent: {} },
      verify: { judge: 'off' as const, checks: [{ includes: 'Oslo' }] },
    };
    const { result, events } = await runHooked([HAND], hooks, { provider, task });
    expect(only(events, 'node.amended')).toMatchObject([{ by: 'revision' }]);
    expect(result.answer).toBe('Looked in Oslo.');
    expect(told.map((each) => (each as Json[]).slice(0, 3))).toEqual([
      ...[
        ['before', 'hand', 'hand/1'],
        ['after', 'hand', 'hand/1'],
      ],
      ...[
        ['before', 'hand', 'hand/2'],
        ['after', 'hand', 'hand/2'],
      ],
    ]);
  });

  it('fails as it would have where a hook is told of a failure', async () => {
    const { hooks, told } = listening('delegate', undefined, 'Seen.');
    const hand = node('hand', { tool: 'delegate', args: { task: 'Look.', max_iterations: 1 } });
    const provider = speaking({
      planner: () => JSON.stringify(plan(hand, go('hand'))),
      agent: () => calling({ name: 'echo', args: { value: Math.random() } }),
    });
    const { result, events } = await runHooked([hand, go('hand')], hooks, { provider });
    expect(result.status).toBe('failed');
    expect(only(events, 'node.failed')).toMatchObject([
      { node: 'hand', failure: { code: 'agent_incomplete' } },
    ]);
    expect(told.at(-1)).toMatchObject(['after', 'hand', 'hand/1', expect.any(String) as string]);
  });

  it('leads nowhere that policy does not: what a hook makes of it is judged', async () => {
    const asked: Json[] = [];
    const { hooks } = listening('delegate', { args: { task: 'Listen.' } });
    await runHooked([HAND, go('hand')], hooks, {
      task: {
        ...{ name: 'hooked', goal: 'Go.', verify: { judge: 'off' }, agent: {} },
        policy: { approve: 'all' },
      },
      approve: ({ args, tool }) => {
        if (tool === 'delegate') asked.push(args);
        return Promise.resolve({ decision: 'approved', by: 'ann' });
      },
    });
    expect(asked).toEqual([{ task: 'Listen.' }]);
  });
});
