import { describe, expect, it } from 'vitest';
import { answerQuestion, orchestrate, previewResume, replayRun, resumeTask } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { askingTool, echoTool, node, only } from '../../support/core.ts';
import { byRole, flakyTool, planned, sendTool } from '../../support/composed.ts';

describe('a run that was interrupted', () => {
  it('goes on where it was, and says first what it will do', async () => {
    const interrupt = new AbortController();
    let slowCalls = 0;
    const slow = echoTool('slow', {
      run: (_, { signal }) => {
        if (++slowCalls > 1) return 'slow';
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          setTimeout(() => interrupt.abort(), 1);
        });
      },
    });
    const { store, options, asked, again } = planned(
      [echoTool(), slow],
      [
        node('a', { args: { value: 1 } }),
        node('b', { tool: 'slow', deps: ['a'] }),
        node('c', { deps: ['b'] }),
      ],
    );
    const first = await orchestrate({ ...options, signal: interrupt.signal });
    expect(first).toMatchObject({ status: 'interrupted', exitCode: 130 });
    expect(await previewResume('r1', again)).toEqual({
      ...{ runId: 'r1', keeps: ['a'], reruns: ['b'], inDoubt: [], waiting: [], denied: [], pending: ['c'] },
    });
    const second = await resumeTask('r1', again);
    expect(second).toMatchObject({ runId: 'r1', status: 'unverified', exitCode: 0 });
    expect(asked).toEqual(['planner']);
    expect(JSON.parse(store.readArtifact('r1', 'result.json') ?? '')).toMatchObject({ status: 'unverified' });
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  });

  it('is refused where it has ended, with how it ended', async () => {
    const { options, again } = planned([echoTool()], [node('a')]);
    await orchestrate(options);
    await expect(resumeTask('r1', again)).rejects.toMatchObject({
      code: 'not_resumable',
      message: expect.stringContaining('run r1 ended unverified') as string,
    });
    await expect(resumeTask('r1', { ...again, retryFailed: true })).rejects.toMatchObject({
      code: 'not_resumable',
    });
    await expect(previewResume('r1', again)).rejects.toMatchObject({ code: 'not_resumable' });
    await expect(resumeTask('r2', again)).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('wants the tools that were given as code, and says which', async () => {
    const { store, options } = planned([sendTool([])], [node('s', { tool: 'send', args: { to: 'x' } })]);
    expect(await orchestrate(options)).toMatchObject({ status: 'waiting', exitCode: 5 });
    await expect(resumeTask('r1', { store })).rejects.toMatchObject({
      code: 'tool_unavailable',
      message: expect.stringContaining('send') as string,
    });
  });

  it('publishes the catalogue again where it has changed', async () => {
    const sent: Json[] = [];
    const { store, options, again } = planned(
      [sendTool(sent)],
      [node('s', { tool: 'send', args: { to: 'x' } })],
    );
    await orchestrate(options);
    const approve = () => Promise.resolve({ decision: 'approved', by: 'me' } as const);
    const resumed = await resumeTask('r1', { ...again, tools: [...again.tools, echoTool('other')], approve });
    expect(resumed).toMatchObject({ status: 'unverified', answer: 'sent to x' });
    const events = await store.read('r1');
    expect(only(events, 'catalogue.published')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'run.resumed')).toHaveLength(1);
    expect(await replayRun('r1', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  });

  it('holds one writer: the second is told', async () => {
    const { store, options, again } = planned(
      [sendTool([])],
      [node('s', { tool: 'send', args: { to: 'x' } })],
    );
    await orchestrate(options);
    const run = await store.open('r1');
    await expect(resumeTask('r1', again)).rejects.toMatchObject({ code: 'run_locked' });
    await expect(previewResume('r1', again)).rejects.toMatchObject({ code: 'run_locked' });
    await run.log.close();
  });

  it('tells of the items of a foreach node, and not of the node as another', async () => {
    const interrupt = new AbortController();
    const item = echoTool('item', {
      run: (args, { signal }) => {
        const { value } = args as { value: string };
        // Its end is heard of after the interruption, however the turns of the run fall.
        if (value === 'a')
          return new Promise((resolve) => interrupt.signal.addEventListener('abort', () => resolve(value)));
        interrupt.abort();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      },
    });
    const { options, again } = planned(
      [echoTool(), item],
      [
        node('list', { args: { value: ['a', 'b', 'c'] } }),
        node('each', { tool: 'item', args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
        node('end', { deps: ['each'] }),
      ],
      { signal: interrupt.signal, flags: { concurrency: '2' } },
    );
    expect(await orchestrate(options)).toMatchObject({ status: 'interrupted' });
    expect(await previewResume('r1', again)).toMatchObject({
      ...{ keeps: ['list', 'each[0]'], reruns: ['each[1]'], pending: ['end', 'each[2]'] },
    });
  });

  it('with a denied call refuses that one, and does not say that it is made again', async () => {
    const { store, options, again } = planned(
      [echoTool(), sendTool([])],
      [node('s', { tool: 'send', args: { to: 'x' } }), node('end', { deps: ['s'] })],
    );
    expect(await orchestrate(options)).toMatchObject({ status: 'waiting' });
    await answerQuestion(store, 'r1', 's', { decision: 'denied', by: 'me' });
    expect(await previewResume('r1', again)).toMatchObject({ reruns: [], denied: ['s'], pending: ['end'] });
  });

  it('without a plan tells that one is still to be drawn', async () => {
    const { store, options, again } = planned([echoTool()], [node('a')]);
    await orchestrate(options);
    const events = await store.read('r1');
    const cut = new MemoryRunStore();
    const run = await cut.create('r1');
    const asked = events.findIndex(({ type }) => type === 'model.requested');
    for (const event of events.slice(0, asked + 1)) run.log.append(event);
    await run.log.close();
    expect(await previewResume('r1', { ...again, store: cut })).toEqual({
      ...{
        runId: 'r1',
        keeps: [],
        reruns: ['plan/1'],
        inDoubt: [],
        waiting: [],
        denied: [],
        pending: [],
        drawsPlan: true,
      },
    });
  });

  it('whose process died before its first event was safe cannot be taken up', async () => {
    const store = new MemoryRunStore();
    await (await store.create('r1')).log.close();
    await expect(resumeTask('r1', { store })).rejects.toMatchObject({ code: 'not_resumable' });
  });
});

describe('a run that failed', () => {
  it('runs what failed again with retryFailed, and keeps the rest', async () => {
    const { tool, heal } = flakyTool();
    const { options, asked, again } = planned(
      [echoTool(), tool],
      [node('a', { args: { value: 1 } }), node('b', { tool: 'flaky' }), node('c', { deps: ['a', 'b'] })],
    );
    expect(await orchestrate(options)).toMatchObject({ status: 'failed' });
    await expect(resumeTask('r1', again)).rejects.toMatchObject({
      code: 'not_resumable',
      hint: expect.stringContaining('--retry-failed') as string,
    });
    heal();
    expect(await previewResume('r1', { ...again, retryFailed: true })).toMatchObject({
      keeps: ['a'],
      reruns: ['b', 'c'],
    });
    const resumed = await resumeTask('r1', { ...again, retryFailed: true });
    expect(resumed).toMatchObject({ status: 'unverified' });
    expect(resumed.nodes.map(({ id, attempts }) => [id, attempts])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
    expect(asked).toEqual(['planner']);
  });
});

describe('a run whose supplied plan was refused', () => {
  it('is not taken up, as a planner would be asked for another plan', async () => {
    const { options, asked, again } = planned([echoTool()], [node('a')]);
    const bad = JSON.stringify({ nodes: [{ id: 'a', tool: 'ehco', args: {} }], output: 'a' });
    const run = await orchestrate({ ...options, plan: bad });
    expect(run).toMatchObject({ status: 'failed', exitCode: 2, failure: { code: 'plan_invalid' } });
    const refusal = {
      code: 'not_resumable',
      hint: expect.stringContaining('A supplied plan is never replaced') as string,
    };
    await expect(resumeTask('r1', { ...again, retryFailed: true })).rejects.toMatchObject(refusal);
    await expect(previewResume('r1', { ...again, retryFailed: true })).rejects.toMatchObject(refusal);
    await expect(resumeTask('r1', again)).rejects.toMatchObject(refusal);
    expect(asked).toEqual([]);
  });

  it('is taken up where a plan was drawn, whatever was refused before', async () => {
    const { options, asked, again } = planned([echoTool()], [node('a', { tool: 'ehco' })]);
    expect(await orchestrate(options)).toMatchObject({ failure: { code: 'plan_unobtainable' } });
    const rounds = asked.length;
    await resumeTask('r1', { ...again, retryFailed: true });
    expect(asked.length).toBeGreaterThan(rounds);
  });
});

describe('a run that its budget stopped', () => {
  const NODES = [node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] })];

  it('goes on under a larger one, and buys nothing twice', async () => {
    const { provider, asked } = byRole({
      planner: JSON.stringify({ nodes: NODES, output: 'b' }),
      writer: 'Text.',
    });
    const { options, again } = planned([askingTool], NODES, {
      provider,
      flags: { 'budget.llmCalls': '2', 'budget.finalReserve': '0' },
    });
    expect(await orchestrate(options)).toMatchObject({ status: 'budget', exitCode: 4 });
    const with_ = { ...again, provider };
    await expect(resumeTask('r1', with_)).rejects.toMatchObject({
      code: 'not_resumable',
      hint: expect.stringContaining('--budget.') as string,
    });
    const resumed = await resumeTask('r1', { ...with_, flags: { 'budget.llmCalls': '5' } });
    expect(resumed).toMatchObject({ status: 'unverified', answer: 'Text.' });
    expect(asked).toEqual(['planner', 'writer', 'writer']);
  });

  it('takes no other change of its task', async () => {
    const { options, again } = planned([echoTool()], [node('a')], { flags: { 'budget.toolCalls': '0' } });
    expect(await orchestrate(options)).toMatchObject({ status: 'budget' });
    await expect(resumeTask('r1', { ...again, flags: { concurrency: '1' } })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('--concurrency') as string,
    });
    for (const value of ['-1', 'many']) {
      await expect(
        resumeTask('r1', { ...again, flags: { 'budget.toolCalls': value } }),
      ).rejects.toMatchObject({
        code: 'task_invalid',
        message: expect.stringContaining('--budget.toolCalls') as string,
      });
    }
  });
});
