/* Every engine finds and classifies every TODO comment of a made repository, or its figures mean nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENGINES, type EngineName } from '../../../bench/agents/engines.mjs';
import { createTodoJob, scoreTodos, withStuckModel } from '../../../bench/agents/todo-job.mjs';
import { createTodoRepository, writeTodoRepository } from '../../../bench/agents/todo-repository.mjs';
import { judgeHit } from '../../../bench/agents/todo-rules.mjs';
import * as sources from '../../../src/index.ts';
import { ManualClock } from '../../../src/testing.ts';

const library = { ...sources, ManualClock };
const SEED = 11;
/** Some hundred files are read for real, on whatever machine. */
const TIMEOUT_MS = 60_000;
const repository = createTodoRepository(SEED, 300);
const folders: string[] = [];
let workspace = '';
let smallWorkspace = '';

async function writeWorkspace(files: ReturnType<typeof createTodoRepository>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sortie-todos-'));
  folders.push(folder);
  await writeTodoRepository(folder, files);
  return folder;
}

beforeAll(async () => {
  workspace = await writeWorkspace(repository);
  smallWorkspace = await writeWorkspace(createTodoRepository(SEED, 10));
}, TIMEOUT_MS);

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

describe('the made repository', () => {
  it('holds comments of every kind and as many decoys as make a search too long to be shown', () => {
    const kinds = new Set(repository.todos.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual([
      ...['bug', 'docs', 'feature', 'performance', 'refactor', 'security', 'test'],
    ]);
    expect(repository.todos.length).toBeGreaterThan(100);
    expect(repository.decoys).toBeGreaterThan(50);
    expect(repository.files.size).toBe(301);
  });

  it('is the same for the same seed and another for another', () => {
    expect(createTodoRepository(SEED, 300)).toEqual(repository);
    expect(createTodoRepository(SEED + 1, 300)).not.toEqual(repository);
  });
});

describe('finding and classifying TODO comments', () => {
  it.each(Object.keys(ENGINES) as EngineName[])('%s', { timeout: TIMEOUT_MS }, async (engine) => {
    const job = await createTodoJob(library, { workspace, seed: SEED });
    const { answer, end, failedCalls, repeatedCalls } = await ENGINES[engine](library, job);
    expect(scoreTodos(answer, repository)).toEqual({
      found: repository.todos.length,
      missed: 0,
      wrong: 0,
    });
    expect(end).toBeNull();
    expect(failedCalls).toBeGreaterThan(0);
    expect(repeatedCalls).toBe(0);
  });

  it('counts what is missing and what is wrong', () => {
    const [first, second] = repository.todos;
    const other = first?.kind === 'bug' ? 'docs' : 'bug';
    const lines = [
      `${second?.path}:${second?.line} ${second?.kind}`,
      `${first?.path}:${first?.line} ${other}`,
      'x.ts:1 bug',
    ];
    expect(scoreTodos(lines.join('\n'), repository)).toEqual({
      found: 1,
      missed: repository.todos.length - 1,
      wrong: 2,
    });
  });

  it('takes neither strings nor names nor other languages for comments', () => {
    const hit = (text: string) => judgeHit({ path: 'app/a.ts', line: 1, text });
    expect(hit('// TODO(ada): fix this')).toBe('bug');
    expect(hit('const label = "TODO: fix this";')).toBeNull();
    expect(hit('const TODO_LIMIT = 2; // fix this')).toBeNull();
    expect(hit('// TODOS los pedidos')).toBeNull();
    expect(hit('// The TODO list needs a fix')).toBeNull();
  });

  it('reads the file where a comment goes on below or stands in a text', () => {
    const continued = { path: 'app/a.py', line: 1, text: '# TODO:' };
    expect(judgeHit(continued, '# TODO:\n#   speed up the lookup\n')).toBe('performance');
    const inText = { path: 'app/templates/a.ts', line: 2, text: '// TODO: fix this' };
    expect(judgeHit(inText, 'const a = `\n// TODO: fix this\n`;')).toBeNull();
    expect(judgeHit(inText, 'const a = 1;\n// TODO: fix this\n')).toBe('bug');
  });
});

describe('a model that does the same again and again', { timeout: TIMEOUT_MS }, () => {
  const measureStuck = async (engine: EngineName) => {
    const job = withStuckModel(await createTodoJob(library, { workspace: smallWorkspace, seed: SEED }));
    return ENGINES[engine](library, job);
  };

  it('is stopped by the plan-first engine after the rounds that a planner has', async () => {
    expect(await measureStuck('plan')).toMatchObject({
      ...{ modelCalls: 3, rounds: 3, toolCalls: 0 },
      end: expect.stringContaining('failed') as unknown,
    });
  });

  it('is stopped by the loop at the third equal call, which is not made', async () => {
    expect(await measureStuck('loop')).toMatchObject({
      ...{ toolCalls: 2, repeatedCalls: 1, rounds: 3 },
      end: expect.stringContaining('same') as unknown,
    });
  });

  it('goes on in the plain loop until it runs out of steps', async () => {
    const { rounds, end, repeatedCalls, failedCalls } = await measureStuck('react');
    expect({ rounds, end }).toEqual({ rounds: 60, end: 'no answer after 60 steps' });
    // All but the first, as far as they did not fail.
    expect(repeatedCalls).toBe(59 - failedCalls);
    expect(failedCalls).toBeLessThan(10);
  });
});
