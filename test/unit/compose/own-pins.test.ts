/* The pins of a run's own tools, between runs and within one. */
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import {
  answerQuestion,
  createAgent,
  forkTask,
  orchestrate,
  replayRun,
  resumeTask,
  type RunOptions,
} from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { calling, inTurn, speaking } from '../../support/agent-run.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import { byRole, planned, sendTool } from '../../support/composed.ts';
import { echoTool, node, only, plan } from '../../support/core.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const TASK = { name: 'pinned', goal: 'Go.', verify: { judge: 'off' } } as const;

const OTHER = '0'.repeat(64);

function moduleOf(folder: string): void {
  const text = `export const greet = {
    spec: { name: 'greet', description: 'Greets.', input: { type: 'object' }, costHint: 1, effect: 'read' },
    run: () => 'hello',
  };`;
  writeFileSync(join(folder, 'tools.ts'), text);
}

type Pins = { origins: Record<string, Record<string, object>> };

/** Writes other pins for a tool; says under which origin they are. */
function changePins(folder: string, origin: string, tool: string, parts: object): string {
  const path = join(folder, 'runs', 'tools.json');
  const pins = JSON.parse(readFileSync(path, 'utf8')) as Pins;
  const key = Object.keys(pins.origins).find((name) => name.startsWith(origin))!;
  Object.assign(pins.origins[key]![tool]!, parts);
  writeFileSync(path, JSON.stringify(pins));
  return key;
}

/** A run of the module's tool, and of one built-in, whose record lies in the folder. */
function runOf(folder: string): Promise<{ readonly warnings?: readonly string[] }> {
  return orchestrate({
    task: { ...TASK, tools: ['./tools.ts', 'do_nothing'] },
    plan: JSON.stringify(plan(node('a', { tool: 'greet', args: {} }))),
    provider: byRole({}).provider,
    ...{ workspace: folder, runsFolder: join(folder, 'runs'), memory: null },
  });
}

describe('tools between two runs', () => {
  it('that changed are told in one line, once, and pinned as they are', async () => {
    const folder = temporaryFolder();
    moduleOf(folder);
    expect((await runOf(folder)).warnings).toBeUndefined();
    // One process loads a module once: what it was before is changed instead.
    changePins(folder, 'module ', 'greet', { hash: OTHER, description: OTHER, input: OTHER });
    expect((await runOf(folder)).warnings).toEqual([
      'tools of tools.ts changed since a run before: greet (description and input schema)',
    ]);
    expect((await runOf(folder)).warnings).toBeUndefined();
  });

  it('that did not change have their pins left alone', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'runs', 'tools.json');
    moduleOf(folder);
    await runOf(folder);
    const before = readFileSync(path, 'utf8');
    expect(before).toContain('do_nothing');
    utimesSync(path, 1, 1);
    await runOf(folder);
    expect(statSync(path).mtimeMs).toBe(1000);
  });

  it('are told of where the pins cannot be read, and the run is none the worse', async () => {
    const folder = temporaryFolder();
    moduleOf(folder);
    await runOf(folder);
    writeFileSync(join(folder, 'runs', 'tools.json'), 'no pins');
    expect((await runOf(folder)).warnings).toEqual([expect.stringContaining('holds no pins')]);
  });

  it('are pinned by version where they are built in: another wording of this one is told of', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'runs', 'tools.json');
    moduleOf(folder);
    await runOf(folder);
    const key = changePins(folder, 'built-in ', 'do_nothing', { hash: OTHER, description: OTHER });
    expect((await runOf(folder)).warnings).toEqual([
      'built-in tools changed since a run before: do_nothing (description)',
    ]);
    changePins(folder, 'built-in ', 'do_nothing', { hash: OTHER, description: OTHER });
    writeFileSync(path, readFileSync(path, 'utf8').replace(key, 'built-in 0.0.1'));
    expect((await runOf(folder)).warnings).toBeUndefined();
  });
});

describe('a tool that changed while its run lay still', () => {
  const PLAN = JSON.stringify(plan(node('send', { tool: 'send', args: { to: 'ann' } })));

  async function resumed(change: (tool: Tool) => Tool, more: Partial<RunOptions> = {}) {
    const store = new MemoryRunStore();
    const sent: unknown[] = [];
    const tool = sendTool(sent as never);
    const given = { provider: byRole({ replanner: 'none' }).provider, store, workspace: '/', ...more };
    await orchestrate({ ...given, task: TASK, tools: [tool, echoTool()], plan: PLAN, runId: 'r' });
    await answerQuestion(store, 'r', 'send', { decision: 'approved', by: 'ann' });
    const result = await resumeTask('r', {
      ...{ store, provider: given.provider },
      tools: [change(tool), echoTool()],
    });
    expect((await replayRun('r', { store, strict: true })).divergence).toBeNull();
    return { result, sent, events: await store.read('r') };
  }

  it.each<[what: string, change: (tool: Tool) => Tool, parts: string]>([
    [
      'description',
      (tool) => ({ ...tool, spec: { ...tool.spec, description: 'Sends to everybody.' } }),
      'description',
    ],
    ['effect', (tool) => ({ ...tool, spec: { ...tool.spec, effect: 'read' } }), 'effect'],
    ['schema', (tool) => ({ ...tool, spec: { ...tool.spec, input: { type: 'object' } } }), 'input schema'],
  ])('in its %s is quarantined: it is not called, and the log says why', async (_what, change, parts) => {
    const { result, sent, events } = await resumed(change);
    const reason = `its ${parts} changed during the run`;
    expect(sent).toEqual([]);
    expect(only(events, 'catalogue.published').at(-1)).toMatchObject({
      tools: [{ name: 'echo' }],
      quarantined: [{ tool: 'send', reason }],
    });
    expect(only(events, 'node.failed')).toMatchObject([{ failure: { code: 'tool_unavailable' } }]);
    expect(result.warnings).toContain(`send cannot be called: ${reason}`);
  });

  it('in its code alone goes on', async () => {
    const { result, events } = await resumed((tool) => ({ ...tool, run: () => 'sent another way' }));
    expect(result).toMatchObject({ status: 'unverified', answer: 'sent another way' });
    expect(only(events, 'catalogue.published')).toHaveLength(1);
  });

  it('is taken as it is by a fork, which is another run, and by the resumption of that', async () => {
    const nodes = [
      node('a', { args: { value: 'x' } }),
      node('s', { tool: 'send', args: { to: 'x' }, deps: ['a'] }),
    ];
    const sent: Json[] = [];
    const { options, again, store } = planned([echoTool(), sendTool(sent)], nodes);
    expect(await orchestrate(options)).toMatchObject({ status: 'waiting' });
    const { spec, ...code } = sendTool(sent);
    const tools = [echoTool(), { ...code, spec: { ...spec, description: 'Sends to everybody.' } }];
    const forked = await forkTask('r1', { ...again, tools, at: 's', runId: 'r2' });
    expect(forked).toMatchObject({ status: 'waiting' });
    await answerQuestion(store, 'r2', 's', { decision: 'approved', by: 'ann' });
    expect(await resumeTask('r2', { ...again, tools })).toMatchObject({ answer: 'sent to x' });
    expect(sent).toHaveLength(1);
  });

  it('is not called by the agent of a session that is gone on with', async () => {
    const store = new MemoryRunStore();
    const called: Json[] = [];
    const provider = speaking({
      agent: inTurn('Hello.', calling({ name: 'look', args: {} }), 'I could not look.'),
    });
    const look = (description: string): Tool =>
      echoTool('look', { description, run: (args) => called.push(args) });
    const given = { store, provider, workspace: '/', memory: null };
    const first = await createAgent({ ...given, runId: 's', tools: [look('Looks.')] });
    await first.chat('Hi.');
    await first.close();
    const second = await createAgent({ ...given, session: 's', tools: [look('Looks, and sends.')] });
    expect(await second.chat('Look.')).toBe('I could not look.');
    await second.close();
    expect(called).toEqual([]);
    expect(only(await store.read('s'), 'catalogue.published').at(-1)).toMatchObject({
      quarantined: [{ tool: 'look', reason: 'its description changed during the run' }],
    });
  });
});
