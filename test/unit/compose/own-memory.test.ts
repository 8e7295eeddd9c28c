import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { orchestrate, replayRun, resumeTask, type RunOptions } from '../../../src/index.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import { node, only, plan } from '../../support/core.ts';
import { byRole } from '../../support/composed.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sortie-own-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const TOOLS = ['remember', 'recall', 'todo', 'do_nothing', 'ask_human'];

function own(nodes: readonly Json[], more: Partial<RunOptions> & { scope?: string; runId?: string } = {}) {
  const { scope = 'mine', ...options } = more;
  const { provider } = byRole({ planner: JSON.stringify(plan(...nodes)) });
  return {
    task: {
      ...{ name: 'own', goal: 'Remember.', tools: TOOLS, verify: { judge: 'off' as const } },
      ...{ limits: { replans: 0 }, memory: { scope, similarity: 'words' as const } },
    },
    ...{ provider, store: new MemoryRunStore(), workspace: folder, runId: 'r1', ...options },
  } satisfies RunOptions;
}

const remember = (text: string): Json => node('keep', { tool: 'remember', args: { text } });
const recall = (query: string, more: Record<string, Json> = {}): Json =>
  node('look', { tool: 'recall', args: { query, ...more } });

describe('remember and recall', () => {
  it('keep a text for later runs of the same scope, and of no other', async () => {
    const memory = { store: new InMemoryStore() };
    expect(await orchestrate(own([remember('The tea house closes on Mondays.')], { memory }))).toMatchObject({
      status: 'unverified',
    });
    const again = own([recall('when does the tea house close')], { memory, runId: 'r2' });
    const found = (await orchestrate(again)).answer as { memories: { text: string }[] };
    expect(found.memories[0]).toMatchObject({
      ...{ text: 'The tea house closes on Mondays.', tier: 'semantic' },
      from: { run: 'r1', node: 'keep', tool: 'remember' },
    });
    expect(found.memories.filter(({ text }) => text.includes('tea house closes'))).toHaveLength(1);
    const other = own([recall('when does the tea house close')], { memory, scope: 'theirs', runId: 'r3' });
    expect((await orchestrate(other)).answer).toEqual({ memories: [] });
    expect(await replayRun('r2', { store: again.store, strict: true })).toMatchObject({ divergence: null });
  });

  it('find in a run what it has kept itself, of one tier where that is asked, and mask credentials', async () => {
    const memory = { store: new InMemoryStore() };
    const later = node('look', {
      tool: 'recall',
      args: { query: 'the key of the house', tier: 'semantic', limit: 1 },
      deps: ['keep'],
    });
    const { answer } = await orchestrate(
      own([remember('The key of the house: password=hunter22hunter'), later], { memory }),
    );
    expect((answer as { memories: { text: string }[] }).memories).toMatchObject([
      { text: 'The key of the house: password=[masked]' },
    ]);
  });

  it('keep a text once, however often the call is made', async () => {
    const memory = { store: new InMemoryStore() };
    await orchestrate(own([remember('Once.')], { memory }));
    await orchestrate(own([remember('Once.')], { memory }));
    expect((await memory.store.list({ scope: 'mine', tier: 'semantic', limit: 10 })).entries.length).toBe(1);
  });

  it('fail where the run has no memory', async () => {
    expect(await orchestrate(own([remember('x')], { memory: null }))).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('no memory') as string,
    });
  });
});

describe('todo', () => {
  const write = (id: string, todos: Json, more: object = {}): Json =>
    node(id, { tool: 'todo', args: { todos, ...more }, ...(id === 'a' ? {} : { deps: ['a'] }) });
  const step = (id: string, status = 'pending'): Json => ({ id, content: `do ${id}`, status });

  it('keeps one list for the whole run, replaced or merged', async () => {
    const { answer } = await orchestrate(
      own([
        write('a', [step('x'), step('y')]),
        write('b', [step('y', 'completed'), step('z')], { merge: true }),
      ]),
    );
    expect(answer).toEqual({ todos: [step('x'), step('y', 'completed'), step('z')], open: 2 });
    const replaced = await orchestrate(own([write('a', [step('x')]), write('b', [step('z')])]));
    expect(replaced.answer).toEqual({ todos: [step('z')], open: 1 });
  });

  it('is taken up with its run, and is not that of another', async () => {
    const ask = node('ask', { tool: 'ask_human', args: { question: 'Go on?' }, deps: ['a'] });
    const read = node('b', { tool: 'todo', deps: ['ask'] });
    const options = own([write('a', [step('x')]), ask, read]);
    expect(await orchestrate(options)).toMatchObject({ status: 'waiting' });
    const approve = () => Promise.resolve({ decision: 'done', by: 'ann', value: 'yes' } as const);
    const { store, provider } = options;
    expect(await resumeTask('r1', { store, provider, approve })).toMatchObject({
      answer: { todos: [step('x')], open: 1 },
    });
    expect((await orchestrate(own([node('b', { tool: 'todo' })]))).answer).toEqual({ todos: [], open: 0 });
  });

  it.each<[todos: Json, message: RegExp]>([
    [[step('x'), step('x')], /stands twice/],
    [Array.from({ length: 101 }, (_, index) => step(`s${index}`)), /Too big/],
    [[{ id: 'x', content: 'y', status: 'later' }], /Invalid option/],
  ])('refuses a list that is none', async (todos, message) => {
    const options = own([write('a', todos)]);
    const result = await orchestrate(options);
    const problems = only(await options.store.read('r1'), 'plan.rejected').flatMap(
      ({ problems: list }) => list,
    );
    const failures = only(await options.store.read('r1'), 'attempt.failed').map(
      ({ failure }) => failure.message,
    );
    expect(result.status).toBe('failed');
    expect([...problems.map((problem) => problem.message), ...failures].join('\n')).toMatch(message);
  });
});
