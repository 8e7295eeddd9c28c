import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import {
  answerQuestion,
  forkTask,
  listQuestions,
  orchestrate,
  replayRun,
  resumeTask,
} from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { askHuman } from '../../../src/tools/builtin/ask-human.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { planned, sendTool } from '../../support/composed.ts';

const ask = (args: Json = { question: 'Which city?' }): Json => node('ask', { tool: 'ask_human', args });
const GO = node('go', { args: { value: { $ref: 'ask' } } });
const ANN = { decision: 'done', by: 'ann' } as const;

function asking(nodes: readonly Json[], more: Parameters<typeof planned>[2] = {}) {
  return planned([askHuman, echoTool(), sendTool([])], nodes, more);
}

async function waiting(nodes: readonly Json[], more: Parameters<typeof planned>[2] = {}) {
  const run = asking(nodes, more);
  const result = await orchestrate(run.options);
  expect(result).toMatchObject({ status: 'waiting', exitCode: 5, reason: 'a node waits for an answer' });
  return run;
}

describe('a question of ask_human', () => {
  it('waits for a person, whose answer is the result of its node', async () => {
    const { store, again } = await waiting([ask(), GO]);
    expect(await listQuestions(store)).toMatchObject([
      {
        ...{ node: 'ask', question: 'answer', tool: 'ask_human', effect: 'read' },
        ...{ args: { question: 'Which city?' }, answer: { type: 'string', minLength: 1 } },
      },
    ]);
    await answerQuestion(store, 'r1', 'ask', { ...ANN, text: 'Oslo' });
    expect(await resumeTask('r1', again)).toMatchObject({ status: 'unverified', answer: 'Oslo' });
    const events = await store.read('r1');
    expect(only(events, 'node.started').map((event) => event.node)).toEqual(['go']);
    expect(only(events, 'approval.decided')).toMatchObject([{ decision: 'done', value: 'Oslo', by: 'ann' }]);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  });

  it('takes neither a slot nor a call of a tool, and the rest goes on meanwhile', async () => {
    const { store } = await waiting(
      [ask(), node('other', { args: { value: 1 } }), GO, node('end', { deps: ['go', 'other'] })],
      {
        task: { name: 't', goal: 'g', verify: { judge: 'off' }, concurrency: 1 },
      } as object,
    );
    const events = await store.read('r1');
    expect(only(events, 'node.started').map((event) => event.node)).toEqual(['other']);
    expect(only(events, 'node.done').map((event) => event.node)).toEqual(['other']);
  });

  it('takes only an answer that meets what was asked for', async () => {
    const choices = ['red', 'blue'];
    const { store, again } = await waiting([ask({ question: 'Which colour?', choices }), GO]);
    await expect(answerQuestion(store, 'r1', 'ask', { ...ANN, text: 'green' })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--value') as string,
    });
    await expect(
      answerQuestion(store, 'r1', 'ask', { decision: 'approved', by: 'ann' }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: 'ask asks for an answer',
    });
    await answerQuestion(store, 'r1', 'ask', { ...ANN, value: 'blue' });
    expect(await resumeTask('r1', again)).toMatchObject({ answer: 'blue' });
  });

  it.each<[schema: Json, text: string, value: Json]>([
    [{ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }, '{"n":3}', { n: 3 }],
    [{ type: 'integer' }, '42', 42],
    [{ type: 'string' }, '42', '42'],
    [{ type: 'string' }, '"quoted"', '"quoted"'],
    [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'true', true],
    [{ anyOf: [{ type: 'string' }, { type: 'boolean' }] }, 'perhaps', 'perhaps'],
    [{}, 'some words', 'some words'],
  ])('asked for by %j reads %j as %j', async (schema, text, value) => {
    const { store, again } = await waiting([ask({ question: 'How?', schema }), GO]);
    await answerQuestion(store, 'r1', 'ask', { ...ANN, text });
    await resumeTask('r1', again);
    expect(only(await store.read('r1'), 'approval.decided')).toMatchObject([{ value }]);
  });

  it('is not answered by a consent to calls', async () => {
    await waiting([ask(), GO], {
      approve: () => Promise.resolve({ decision: 'approved', by: '--yes=irreversible' }),
      approves: 'consent',
    });
  });

  it('is answered by whoever answers in this process, once', async () => {
    let asked = 0;
    const { options, store } = asking([ask({ question: 'How many?', schema: { type: 'integer' } }), GO], {
      approve: ({ question, answer, args }) => {
        asked++;
        expect([question, answer, args]).toEqual(['answer', { type: 'integer' }, expect.anything()]);
        return Promise.resolve({ decision: 'done', by: 'ben', value: 7 });
      },
    });
    expect(await orchestrate(options)).toMatchObject({ status: 'unverified', answer: 7 });
    expect(asked).toBe(1);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null });
  });

  it.each<[said: { decision: 'approved' | 'done'; value?: Json }, reason: RegExp]>([
    [{ decision: 'approved' }, /no answer was given/],
    [{ decision: 'done', value: 'seven' }, /no such answer is asked for/],
  ])('that is answered by %j counts as denied', async (said, reason) => {
    const { options } = asking([ask({ question: 'How many?', schema: { type: 'integer' } }), GO], {
      approve: () => Promise.resolve({ by: 'ben', ...said }),
    });
    expect(await orchestrate(options)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(reason) as string,
    });
  });

  it('that nobody answers in time is denied', async () => {
    const { options, store } = asking([ask(), GO], {
      task: {
        ...{ name: 't', goal: 'g', verify: { judge: 'off' } },
        ...{ limits: { replans: 0 }, policy: { approvalTimeoutSeconds: 0.02 } },
      },
      approve: () => new Promise(() => undefined),
    } as object);
    expect(await orchestrate(options)).toMatchObject({ status: 'failed' });
    expect(only(await store.read('r1'), 'approval.decided')).toMatchObject([
      { decision: 'denied', expired: true },
    ]);
  });

  it('for an answer that nothing can be is a misuse, and nobody is asked', async () => {
    const { options, store } = asking([ask({ question: 'How?', schema: { type: 'no such type' } }), GO]);
    expect(await orchestrate(options)).toMatchObject({ status: 'failed' });
    const events = await store.read('r1');
    expect(only(events, 'approval.requested')).toEqual([]);
    expect(only(events, 'node.failed')).toMatchObject([{ node: 'ask' }]);
    // Its repair was asked for, and nobody gave it.
    expect(only(events, 'model.requested').map(({ key }) => key)).toContain('repair/ask/1');
  });

  it('is asked for each item of a list', async () => {
    const { store, again } = await waiting([
      node('list', { args: { value: ['a', 'b'] } }),
      node('ask', { tool: 'ask_human', args: { question: { $item: '' } }, foreach: { $ref: 'list' } }),
      GO,
    ]);
    await answerQuestion(store, 'r1', 'ask[1]', { ...ANN, text: 'second' });
    await answerQuestion(store, 'r1', 'ask[0]', { ...ANN, text: 'first' });
    expect(await resumeTask('r1', again)).toMatchObject({ answer: ['first', 'second'] });
  });

  it('is asked again in a fork from before it, and its answer is kept in one from after it', async () => {
    const { store, again } = await waiting([ask(), GO]);
    await answerQuestion(store, 'r1', 'ask', { ...ANN, text: 'Oslo' });
    await resumeTask('r1', again);
    expect(await forkTask('r1', { ...again, at: 'ask', runId: 'r2' })).toMatchObject({ status: 'waiting' });
    expect(await forkTask('r1', { ...again, at: 'go', runId: 'r3' })).toMatchObject({ answer: 'Oslo' });
  });

  it('comes to the same end wherever its process is killed', async () => {
    const { store, again } = await waiting([ask(), GO]);
    await answerQuestion(store, 'r1', 'ask', { ...ANN, text: 'Oslo' });
    await resumeTask('r1', again);
    const events = await store.read('r1');
    const planAt = events.findIndex(({ type }) => type === 'plan.accepted');
    for (let length = planAt + 1; length < events.length; length++) {
      const cut = new MemoryRunStore();
      const opened = await cut.create('r1');
      for (const event of events.slice(0, length)) opened.log.append(event);
      await opened.log.close();
      let result = await resumeTask('r1', { ...again, store: cut });
      if (result.status === 'waiting') {
        await answerQuestion(cut, 'r1', 'ask', { ...ANN, text: 'Oslo' });
        result = await resumeTask('r1', { ...again, store: cut });
      }
      expect(result, `cut at ${length}`).toMatchObject({ status: 'unverified', answer: 'Oslo' });
      expect(
        only(await cut.read('r1'), 'approval.decided').filter(({ decision }) => decision === 'done'),
      ).toHaveLength(1);
    }
  });
});
