import { describe, expect, it } from 'vitest';
import { forkTask, orchestrate, replayRun, resumeTask, verifyLog } from '../../../src/index.ts';
import { FileRunStore } from '../../../src/flight/file-store.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { compareRuns, renderComparison } from '../../../src/views/compare-runs.ts';
import { summarizeRun } from '../../../src/views/summary.ts';
import { echoTool, node, only } from '../../support/core.ts';
import { byRole, planned, sendTool } from '../../support/composed.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const NODES = [
  node('a', { args: { value: 'one' } }),
  node('b', { args: { value: { $ref: 'a' } } }),
  node('c', { args: { value: ['end', { $ref: 'b' }] } }),
];

describe('a fork', () => {
  it('goes on from before a node with other arguments, and pays nothing again', async () => {
    const { store, options, asked, again } = planned([echoTool()], NODES);
    expect(await orchestrate(options)).toMatchObject({ answer: ['end', 'one'] });
    const before = await store.read('r1');
    const forked = await forkTask('r1', { ...again, at: 'b', set: { 'b.args.value': '"two"' }, runId: 'r2' });
    expect(forked).toMatchObject({
      ...{ runId: 'r2', status: 'unverified', answer: ['end', 'two'] },
      usage: { toolCalls: 2, llmCalls: 0, inputTokens: 0 },
      inherited: { origin: 'r1', toolCalls: 1, llmCalls: 1 },
    });
    expect(asked).toEqual(['planner']);
    expect(await store.read('r1')).toEqual(before);
    const events = await store.read('r2');
    const [fork] = only(events, 'run.forked');
    expect(fork).toMatchObject({ runId: 'r2', origin: 'r1' });
    expect(events.slice(0, (fork?.sequence ?? 0) + 1)).toEqual(before.slice(0, (fork?.sequence ?? 0) + 1));
    expect(only(events, 'node.amended')).toMatchObject([{ node: 'b', by: 'person', args: { value: 'two' } }]);
    expect(await replayRun('r2', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
    expect(summarizeRun(events)).toMatchObject({ runId: 'r2', toolCalls: 2, modelCalls: 0 });
  });

  it('asks again for what is irreversible, whatever the policy and whatever was decided before', async () => {
    const sent: Json[] = [];
    const nodes = [node('a'), node('s', { tool: 'send', args: { to: 'x' }, deps: ['a'] })];
    const { options, again } = planned([echoTool(), sendTool(sent)], nodes);
    const free = { ...options, task: { ...options.task, policy: { approve: 'none' as const } } };
    expect(await orchestrate(free)).toMatchObject({ answer: 'sent to x' });
    const forked = await forkTask('r1', { ...again, at: 's', runId: 'r2' });
    expect(forked).toMatchObject({ status: 'waiting' });
    expect(sent).toHaveLength(1);
  });

  it('may have another goal or another provider, and then draws another plan', async () => {
    const { options, again } = planned([echoTool()], NODES);
    await orchestrate(options);
    const { provider, asked } = byRole({
      planner: ({ messages }) => {
        expect(JSON.stringify(messages)).toContain('Another goal.');
        return JSON.stringify({ nodes: [node('z', { args: { value: 'zed' } })], output: 'z' });
      },
    });
    const forked = await forkTask('r1', { ...again, provider, goal: 'Another goal.', runId: 'r2' });
    expect(forked).toMatchObject({ answer: 'zed' });
    expect(asked).toEqual(['planner']);
  });

  it('is refused for a place, a node or an argument that is none', async () => {
    const { store, options, again } = planned(
      [sendTool([]), echoTool()],
      [node('a'), node('s', { tool: 'send', args: { to: 'x' }, deps: ['a'] })],
    );
    await orchestrate({ ...options, approve: () => Promise.resolve({ decision: 'approved', by: 'me' }) });
    const problems: [object, RegExp][] = [
      [{ at: 'z' }, /--at z: no node that began, and no event from 1 to \d+/],
      [{ at: '0' }, /--at 0/],
      [{ at: '4000' }, /--at 4000/],
      [{ at: 's', set: { 'z.args.to': 'y' } }, /--set z.args.to: there is no node z/],
      [{ at: 's', set: { to: 'y' } }, /--set to: expected node.args.name=value/],
      [{ at: 's', set: { 's.args.to': '3' } }, /--set s.args: \/to/],
      [{ at: 's', set: { 'a.args.value': '3' } }, /a is done at this place/],
      [{ at: 'a', set: { 's.args.to': 'y' } }, /s waits for others/],
    ];
    for (const [fork, message] of problems) {
      await expect(forkTask('r1', { ...again, ...fork }), String(message)).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringMatching(message) as string,
      });
    }
    expect(await store.list()).toEqual(['r1']);
    await expect(forkTask('r1', { ...again, at: 's', runId: 'r1' })).rejects.toMatchObject({
      code: 'run_exists',
    });
  });

  it('that was cut off before it began is not taken for the run that it comes from', async () => {
    const { store, options, again } = planned([echoTool()], NODES);
    await orchestrate(options);
    const run = await store.create('r2');
    for (const event of (await store.read('r1')).slice(0, 6)) run.log.append(event);
    await run.log.close();
    await expect(resumeTask('r2', again)).rejects.toMatchObject({
      code: 'not_resumable',
      message: expect.stringContaining('r2 holds events of r1 alone') as string,
    });
  });

  it('has a log that verifies, and stands side by side with its origin', async () => {
    const root = temporaryFolder();
    const store = new FileRunStore(root);
    const { options, again } = planned([echoTool()], NODES, { store });
    await orchestrate(options);
    await forkTask('r1', { ...again, store, at: 'b', set: { 'b.args.value': '"two"' }, runId: 'r2' });
    expect(await verifyLog('r2', { runsFolder: root })).toMatchObject({ fault: null });
    const comparison = compareRuns(await store.read('r1'), await store.read('r2'));
    expect(comparison.nodes).toEqual([
      { about: 'a', a: 'done one', b: 'done one', isSame: true },
      { about: 'b', a: 'done one', b: 'done two', isSame: false },
      { about: 'c', a: 'done ["end","one"]', b: 'done ["end","two"]', isSame: false },
    ]);
    const lines = renderComparison(comparison, { width: 100 }).join('\n');
    expect(lines).toContain('plan: 3 the same in both');
    expect(lines).toContain('1 more are the same in both');
  });
});
