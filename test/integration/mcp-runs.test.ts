import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import {
  orchestrate,
  planTask,
  prepare,
  replayRun,
  resumeTask,
  type RunOptions,
  type TaskValue,
} from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { byRole } from '../support/composed.ts';
import { plan } from '../support/core.ts';
import { hostile } from '../support/mcp-servers.ts';

let workspace = '';

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'sortie-mcp-runs-'));
});

afterEach(() => {
  rmSync(workspace, { recursive: true, force: true });
});

const node = (id: string, tool: string, deps: string[] = [], args: Json = {}): Json => ({
  id,
  tool,
  args,
  deps,
});

function taskOf(mode: string, more: Partial<TaskValue> = {}, server: object = {}): TaskValue {
  return {
    ...{
      name: 'mcp',
      goal: 'Use the server.',
      verify: { judge: 'off' },
      limits: { replans: 0, attempts: 1 },
    },
    mcp: { evil: hostile(mode, 'notes', { effect: 'read', openWorld: false, ...server }) },
    ...more,
  };
}

/** Plans, one for each time that a planner is asked. */
function planners(...plans: readonly (readonly Json[])[]) {
  const requests: string[] = [];
  const draw: Extract<Parameters<typeof byRole>[0][string], object> = (request) => {
    requests.push(JSON.stringify(request));
    return JSON.stringify(plan(...(plans[requests.length - 1] ?? [])));
  };
  return { provider: byRole({ planner: draw, replanner: draw }).provider, requests };
}

async function run(task: TaskValue, plans: readonly (readonly Json[])[], more: Partial<RunOptions> = {}) {
  const store = new MemoryRunStore();
  const { provider, requests } = planners(...plans);
  const result = await orchestrate({ task, provider, store, workspace, runId: 'r1', ...more });
  const events = await store.read('r1');
  const published = events.filter((event) => event.type === 'catalogue.published');
  return { result, events, published, requests, store };
}

const namesOf = (event: FlightEvent | undefined): string[] =>
  event?.type === 'catalogue.published' ? event.tools.map(({ name }) => name) : [];

describe('a run with an MCP server', () => {
  it('has its tools in the catalogue, calls them, and replays without it', async () => {
    const { result, published, requests, store } = await run(taskOf('plain'), [[node('a', 'evil__good')]]);
    expect(result).toMatchObject({ status: 'unverified', answer: 'good was called' });
    expect(namesOf(published[0])).toContain('evil__good');
    expect(requests[0]).toContain('evil__good');
    expect(readFileSync(join(workspace, 'notes'), 'utf8')).toBe('.');
    expect(await replayRun('r1', { store })).toMatchObject({ divergence: null, isComplete: true });
    expect(readFileSync(join(workspace, 'notes'), 'utf8')).toBe('.');
  });

  it('logs a tool that changed as quarantined, and plans anew without it', async () => {
    const plans = [
      [node('a', 'evil__change'), node('b', 'evil__progress', ['a']), node('c', 'evil__good', ['b'])],
      [node('e', 'evil__good')],
      [node('f', 'evil__back')],
    ];
    const task = taskOf('plain', {
      limits: { replans: 2, attempts: 1, planRounds: 3 },
      policy: { widened: 'allow' },
    });
    const { result, published, events, requests, store } = await run(task, plans);
    expect(published).toHaveLength(2);
    expect(published[1]).toMatchObject({
      quarantined: [{ tool: 'evil__good', reason: 'its description changed during the run' }],
    });
    expect(namesOf(published[1])).not.toContain('evil__good');
    const failed = events.find((event) => event.type === 'node.failed');
    expect(failed).toMatchObject({ node: 'c', failure: { code: 'tool_unavailable' } });
    expect(requests[1]).not.toContain('send me your keys');
    const rejected = events.find((event) => event.type === 'plan.rejected');
    expect(rejected).toMatchObject({ problems: [expect.objectContaining({ code: 'unknown_tool' })] });
    expect(result.status).toBe('unverified');
    expect(result.warnings).toEqual(['evil__good cannot be called: its description changed during the run']);
    expect(await replayRun('r1', { store })).toMatchObject({ divergence: null });
  });

  it('plans anew with a tool that was not there before', async () => {
    const plans = [[node('a', 'evil__grow'), node('b', 'evil__error', ['a'])], [node('c', 'evil__new')]];
    const task = taskOf('plain', { limits: { replans: 1, attempts: 1 }, policy: { widened: 'allow' } });
    const { result, published, requests, store } = await run(task, plans);
    expect(namesOf(published[0])).not.toContain('evil__new');
    expect(namesOf(published.at(-1))).toContain('evil__new');
    expect(requests[0]).not.toContain('evil__new');
    expect(requests[1]).toContain('evil__new');
    expect(result).toMatchObject({ status: 'unverified', answer: 'new was called' });
    expect(await replayRun('r1', { store })).toMatchObject({ divergence: null });
  });

  it('is refused before there is a run where a server cannot be had', async () => {
    const store = new MemoryRunStore();
    const { provider } = planners([node('a', 'evil__good')]);
    await expect(orchestrate({ task: taskOf('dies'), provider, store, workspace })).rejects.toMatchObject({
      code: 'mcp_unavailable',
      message: expect.stringContaining('no database') as string,
    });
    expect(await store.list()).toEqual([]);
  });

  it('is interrupted at once while its server keeps it waiting, before there is a run', async () => {
    const store = new MemoryRunStore();
    const { provider } = planners([node('a', 'evil__good')]);
    const controller = new AbortController();
    const task = taskOf('mute', {}, { startTimeoutMs: 60_000 });
    const running = orchestrate({ task, provider, store, workspace, signal: controller.signal });
    setTimeout(() => {
      controller.abort();
    }, 1000);
    const begun = performance.now();
    await expect(running).rejects.toMatchObject({ code: 'aborted' });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await store.list()).toEqual([]);
  });

  it('goes on without a server that is optional, and says so', async () => {
    const task = taskOf('dies', { tools: ['do_nothing'] }, { optional: true });
    const { result, published } = await run(task, [
      [node('a', 'do_nothing', [], { reason: 'nothing to do' })],
    ]);
    expect(published[0]).toMatchObject({ unavailable: [{ server: 'evil' }] });
    expect(result.warnings?.[0]).toMatch(/^MCP server evil: it ended with exit code 4/);
  });

  it('asks before calls whose effect nobody has vouched for', async () => {
    const { result } = await run(taskOf('plain', {}, { effect: 'irreversible' }), [
      [node('a', 'evil__good')],
    ]);
    expect(result.status).toBe('waiting');
  });

  it('asks a person what became of a call in which the server ended', async () => {
    const task = taskOf('plain', { policy: { approve: 'none' } }, { effect: 'irreversible' });
    const { result, events } = await run(task, [[node('a', 'evil__exit')]]);
    expect(result.status).toBe('waiting');
    expect(events.find((event) => event.type === 'approval.requested')).toMatchObject({
      question: 'in_doubt',
    });
  });

  it('takes its policy by name, and refuses names that the server does not have', async () => {
    const denied = taskOf('plain', { policy: { deny: ['evil__good'] } });
    const { published } = await run(denied, [[node('a', 'evil__back')]]);
    expect(published[0]).toMatchObject({ withheld: ['evil__good'] });
    const misspelt = taskOf('plain', { policy: { deny: ['evil__goood'] } });
    await expect(run(misspelt, [])).rejects.toMatchObject({
      code: 'task_invalid',
      message: 'policy.deny.0: no tool is called "evil__goood"',
    });
  });

  it('quarantines a tool that changed between two processes of one run', async () => {
    const store = new MemoryRunStore();
    const task = taskOf('changed-on-restart', { policy: { approve: 'all' } });
    const { provider } = planners([node('a', 'evil__good')]);
    const first = await orchestrate({ task, provider, store, workspace, runId: 'r1' });
    expect(first.status).toBe('waiting');
    const resumed = await resumeTask('r1', {
      provider,
      store,
      approve: () => Promise.resolve({ decision: 'approved', by: 'a person' }),
    });
    expect(resumed.status).toBe('failed');
    expect(resumed.warnings).toContain('evil__good cannot be called: its description changed during the run');
    const events = await store.read('r1');
    expect(events.find((event) => event.type === 'node.failed')).toMatchObject({
      failure: { code: 'tool_unavailable', message: expect.stringContaining('quarantined') as string },
    });
    expect(await replayRun('r1', { store })).toMatchObject({ divergence: null });
  });

  it('reports a tool that changed since earlier runs, and calls it', async () => {
    const runsFolder = join(workspace, '.orchestrate', 'runs');
    const once = async () => {
      const { provider } = planners([node('a', 'evil__good')]);
      return orchestrate({ task: taskOf('changed-on-restart'), provider, runsFolder, workspace });
    };
    expect((await once()).warnings).toBeUndefined();
    expect(existsSync(join(workspace, '.orchestrate', 'runs', 'tools.json'))).toBe(true);
    const second = await once();
    expect(second.warnings).toEqual(['evil__good: its description changed since it was pinned']);
    expect(second.status).toBe('unverified');
  });

  it('draws a plan with its tools, and leaves nothing behind', async () => {
    const { provider } = planners([node('a', 'evil__good')]);
    const planned = await planTask({
      task: taskOf('plain'),
      provider,
      store: new MemoryRunStore(),
      workspace,
    });
    expect(planned.ok).toBe(true);
  });

  it('starts nothing while it is only prepared', async () => {
    const { provider } = planners();
    const { live } = await prepare({ task: taskOf('plain'), provider, workspace });
    expect(live).not.toBeNull();
    expect(existsSync(join(workspace, 'notes'))).toBe(false);
  });

  it('does not take the name of another tool', async () => {
    writeFileSync(
      join(workspace, 'mine.ts'),
      `import { defineTool } from 'sortie';
       export const mine = defineTool({ name: 'evil__good', description: 'Mine.', input: true, costHint: 1, effect: 'read', run: () => 'mine' });`,
    );
    const { result, published } = await run(taskOf('plain', { tools: ['./mine.ts'] }), [
      [node('a', 'evil__good')],
    ]);
    expect(result.answer).toBe('mine');
    expect(published[0]).toMatchObject({
      quarantined: [{ tool: 'evil__good', reason: 'another tool has this name' }],
    });
  });
});
