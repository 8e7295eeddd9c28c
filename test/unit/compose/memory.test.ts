import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryPath } from '../../../src/compose/memory.ts';
import type { Embedder } from '../../../src/contracts/memory.ts';
import type { Provider } from '../../../src/contracts/ports.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import {
  forkTask,
  orchestrate,
  planTask,
  resumeTask,
  type TaskValue,
  ToolError,
} from '../../../src/index.ts';
import { rateLimited } from '../../../src/providers/rate-limit.ts';
import { byRole } from '../../support/composed.ts';
import { askingTool, echoTool, node, only, plan } from '../../support/core.ts';
import { temporaryFolder } from '../../support/flight-events.ts';
import { fact, vectorOf } from '../../support/memory-entries.ts';
import { drawing, readRecalled, recalledFor, rememberingRuns } from '../../support/remembering.ts';

const TASK = { name: 'memory', goal: 'Weigh the moss of Lima.', verify: { judge: 'off' } } as const;
const CITIES = { task: 'examples/city-compare/city-compare.yaml' };

describe('a run that failed', () => {
  it('is shown to the planner of the next, which plans around it', async () => {
    const { run } = rememberingRuns();
    const flags = { 'input.cities': 'Lima,Atlantis' };
    const first = await run('first', { ...CITIES, flags });
    expect(only(first.events, 'plan.accepted')[0]?.plan.nodes.map(({ id }) => id)).toContain(
      'population_atlantis',
    );
    expect(only(first.events, 'node.failed').length).toBeGreaterThan(0);

    const second = await run('second', { ...CITIES, flags });
    const recalled = recalledFor(second.events, 'plan/1');
    expect(readRecalled(recalled, 'memory-episodes')).toMatchObject([
      {
        from: { run: 'first' },
        failures: expect.arrayContaining([
          expect.objectContaining({
            code: 'missing_info',
            message: expect.stringContaining('"Atlantis"') as unknown,
          }),
        ]) as unknown,
      },
    ]);
    const [accepted] = only(second.events, 'plan.accepted');
    expect(accepted?.plan.nodes.map(({ id }) => id)).not.toContain('population_atlantis');
    expect(accepted?.plan.nodes.map(({ id }) => id)).toContain('population_lima');
    expect(only(second.events, 'node.failed')).toEqual([]);
    expect(only(second.events, 'node.started').length).toBeLessThan(
      only(first.events, 'node.started').length,
    );
  });

  it('and one that its budget stopped, and one that was cancelled, are remembered as what they were', async () => {
    const { run, records } = rememberingRuns();
    const failing = echoTool('fail', {
      run: () => {
        throw new ToolError('PERMANENT', 'no scales');
      },
    });
    await run('failed', {
      ...{ task: { ...TASK, limits: { replans: 0 } }, tools: [failing] },
      provider: drawing(node('a', { tool: 'fail' })),
    });
    const nodes = [
      node('a', { args: { value: 'moss: 12 kg' } }),
      node('b', { tool: 'write', deps: ['a'] }),
      node('c', { deps: ['b'] }),
    ];
    await run('stopped', {
      ...{ task: { ...TASK, budget: { llmCalls: 2, finalReserve: 0 } }, tools: [echoTool(), askingTool] },
      provider: byRole({ planner: JSON.stringify(plan(...nodes)), writer: 'mossy' }).provider,
    });
    const abort = new AbortController();
    const stopping = echoTool('stop', {
      run: () => {
        abort.abort();
        return 'moss: 13 kg';
      },
    });
    await run('cancelled', {
      ...{ task: TASK, tools: [stopping], signal: abort.signal },
      provider: drawing(node('a', { tool: 'stop' }), node('b', { tool: 'stop', deps: ['a'] })),
    });
    const kept = await records();
    const episodes = kept.flatMap((record) =>
      record.tier === 'episodic' ? [[record.provenance.run, record.episode?.status]] : [],
    );
    expect(episodes).toEqual([
      ['failed', 'failed'],
      ['stopped', 'budget'],
      ['cancelled', 'interrupted'],
    ]);
    expect(kept[0]).toMatchObject({
      episode: { failures: [{ tool: 'fail', code: 'tool_failed', message: 'no scales' }] },
    });
    const facts = kept.filter(({ tier }) => tier === 'semantic').map(({ text }) => text);
    expect(facts.join()).toMatch(/12 kg.*13 kg/);
  });
});

describe('a run that is taken up', () => {
  it('is remembered once, as it ended', async () => {
    const { memory, run, runs, records } = rememberingRuns();
    const abort = new AbortController();
    const once = echoTool('once', {
      run: () => {
        abort.abort();
        return 'moss: 13 kg';
      },
    });
    const tools = [once, echoTool()];
    const provider = drawing(node('a', { tool: 'once' }), node('b', { deps: ['a'] }));
    const { result } = await run('r1', { task: TASK, tools, provider, signal: abort.signal });
    expect(result.status).toBe('interrupted');
    expect((await records()).find(({ tier }) => tier === 'episodic')).toMatchObject({
      episode: { status: 'interrupted' },
    });
    await resumeTask('r1', { store: runs, tools, provider, memory: { store: memory } });
    const episodes = (await records()).filter(({ tier }) => tier === 'episodic');
    expect(episodes).toMatchObject([{ id: 'r1/episode', episode: { status: 'unverified', toolCalls: 2 } }]);
    const [resumed] = only(await runs.read('r1'), 'run.resumed');
    expect(resumed).toMatchObject({ memory: true });
  });

  it('finds in memory what others left, and not itself', async () => {
    const { memory, run, runs } = rememberingRuns();
    const abort = new AbortController();
    const once = echoTool('once', {
      run: () => {
        abort.abort();
        return 'moss: 13 kg';
      },
    });
    const tools = [once, askingTool];
    const drawn = plan(node('a', { tool: 'once' }), node('b', { tool: 'write', deps: ['a'] }));
    const { provider } = byRole({ planner: JSON.stringify(drawn), writer: 'mossy' });
    await run('r0', {
      task: TASK,
      tools: [echoTool()],
      provider: drawing(node('z', { args: { value: 'moss' } })),
    });
    await run('r1', { task: TASK, tools, provider, signal: abort.signal });
    await resumeTask('r1', { store: runs, tools, provider, memory: { store: memory } });
    const asked = only(await runs.read('r1'), 'memory.recalled').find(({ key }) => key === 'memory/b/1/1');
    expect(new Set(asked?.included.map(({ from }) => from.run))).toEqual(new Set(['r0']));
    expect(readRecalled(asked?.text ?? '', 'memory-working')).toMatchObject({
      results: [{ node: 'a', value: 'moss: 13 kg' }],
    });
  });

  it('as a fork is remembered beside that which it comes from', async () => {
    const { memory, run, runs, records } = rememberingRuns();
    const provider = drawing(node('a', { args: { value: 1 } }), node('b', { deps: ['a'] }));
    await run('r1', { task: TASK, tools: [echoTool()], provider });
    const options = { store: runs, tools: [echoTool()], provider, memory: { store: memory }, runId: 'r2' };
    await forkTask('r1', { ...options, at: 'b' });
    const episodes = (await records()).filter(({ tier }) => tier === 'episodic');
    expect(episodes.map(({ provenance }) => provenance.run)).toEqual(['r1', 'r2']);
    expect(episodes[1]).toMatchObject({ episode: { toolCalls: 1 } });
  });
});

describe('what a run leaves', () => {
  it('holds no credential', async () => {
    const { run, records } = rememberingRuns();
    const key = `sk-ant-${'x9Y8'.repeat(8)}`;
    const provider = drawing(node('a', { args: { value: `key ${key}, password=hunter2hunter2` } }));
    await run('r1', { task: TASK, tools: [echoTool()], provider, secrets: ['hunter2hunter2'] });
    const text = JSON.stringify(await records());
    expect(text).toContain('[masked]');
    expect(text).not.toContain(key);
    expect(text).not.toContain('hunter2');
  });

  it('is seen in its own scope alone', async () => {
    const { run, records } = rememberingRuns();
    const provider = drawing(node('a', { args: { value: 'moss: 12 kg' } }));
    const options = { tools: [echoTool()], provider };
    await run('r1', { ...options, task: { ...TASK, memory: { scope: 'one' } } });
    const other = await run('r2', { ...options, task: { ...TASK, memory: { scope: 'two' } } });
    expect(only(other.events, 'memory.recalled')).toMatchObject([{ text: '', included: [] }]);
    const same = await run('r3', { ...options, task: { ...TASK, memory: { scope: 'one' } } });
    expect(only(same.events, 'memory.recalled')[0]?.included.map(({ from }) => from.run)).toEqual([
      'r1',
      'r1',
    ]);
    expect(await records('default')).toEqual([]);
  });

  it('does not grow by what is found again', async () => {
    const { run, records } = rememberingRuns();
    const provider = drawing(node('a', { args: { value: 'moss: 12 kg' } }), node('b', { deps: ['a'] }));
    for (const runId of ['r1', 'r2', 'r3']) await run(runId, { task: TASK, tools: [echoTool()], provider });
    const facts = (await records()).filter(({ tier }) => tier === 'semantic');
    expect(new Set(facts.map(({ provenance }) => provenance.run))).toEqual(new Set(['r3']));
  });

  it('that was only planned is nothing, but its planner is shown what is known', async () => {
    const { memory, run, records } = rememberingRuns();
    const provider = drawing(node('a'));
    const options = { task: TASK, tools: [echoTool()], provider, workspace: '/' };
    await run('r1', options);
    const before = await records();
    const events: FlightEvent[] = [];
    await planTask({ ...options, memory: { store: memory }, onEvent: (event) => events.push(event) });
    expect(recalledFor(events, 'plan/1')).toContain('Weigh the moss');
    expect(await records()).toEqual(before);
  });
});

describe('what is compared', () => {
  const compared = async (provider: Provider, memory: TaskValue['memory'] = {}): Promise<number> => {
    const { memory: store, run } = rememberingRuns();
    await store.put('default', [{ record: fact('f', 'Moss of Lima.') }]);
    let texts = 0;
    const embedder: Embedder = {
      ...{ model: 'm', dimensions: 32, close: () => Promise.resolve() },
      embed: () => {
        texts += 1;
        return Promise.resolve({ model: 'm', vector: vectorOf(1) });
      },
    };
    await run('r1', {
      ...{ task: { ...TASK, memory }, tools: [echoTool()], provider, memory: { store, embedder } },
    });
    return texts;
  };
  const standIn: Provider = { ...drawing(node('a')), isStandIn: true };

  it('is the meaning too, but where nothing but a stand-in is told', async () => {
    expect(await compared(drawing(node('a')))).toBeGreaterThan(0);
    expect(await compared(standIn)).toBe(0);
    expect(await compared(rateLimited(standIn, { requestsPerMinute: 100 }))).toBe(0);
  });

  it('is what the task says', async () => {
    expect(await compared(standIn, { similarity: 'vectors' })).toBeGreaterThan(0);
    expect(await compared(drawing(node('a')), { similarity: 'words' })).toBe(0);
  });
});

describe('whether a run has a memory', () => {
  const options = { tools: [echoTool()], provider: drawing(node('a')), workspace: '/' };

  it('is up to its task, and to whoever runs it', async () => {
    const { run } = rememberingRuns();
    const off = await run('r1', { ...options, task: { ...TASK, memory: { enabled: false } } });
    const none = await run('r2', { ...options, task: TASK, memory: null });
    for (const { events } of [off, none]) {
      expect(events.some(({ type }) => type.startsWith('memory.'))).toBe(false);
      expect(only(events, 'run.started')[0]).not.toHaveProperty('memory');
    }
  });

  it('follows from where it is kept: beside its folder, and nowhere where it has none', async () => {
    const folder = temporaryFolder();
    const quick = { ...options, task: { ...TASK, memory: { similarity: 'words' as const } } };
    await orchestrate({ ...quick, runsFolder: null });
    expect(readdirSync(folder)).toEqual([]);
    await orchestrate({ ...quick, runsFolder: folder });
    expect(existsSync(join(folder, 'memory.db'))).toBe(true);
    expect(memoryPath({}, '/task')).toBe(resolve('.orchestrate/memory.db'));
    expect(memoryPath({}, '/task', '.orchestrate/runs/')).toBe(resolve('.orchestrate/memory.db'));
    expect(memoryPath({}, '/task', '/other')).toBe('/other/memory.db');
    expect(memoryPath({ path: 'my.db' }, '/task', '/other')).toBe('/task/my.db');
  });

  it('does not make a file before there is something to keep', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'kept.db');
    const quick = { ...options, task: { ...TASK, memory: { similarity: 'words' as const, path } } };
    await planTask({ ...quick });
    expect(existsSync(path)).toBe(false);
    await orchestrate({ ...quick, runsFolder: null });
    expect(existsSync(path)).toBe(true);
  });
});
