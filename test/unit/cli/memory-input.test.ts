/* What people get wrong, and are told of it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { searchMemories } from '../../../src/compose/memory-admin-search.ts';
import type { Embedder } from '../../../src/contracts/memory.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import { embedded, fact, vectorOf } from '../../support/memory-entries.ts';
import { CITIES, openFolder } from './memory-folder.ts';

describe('a command of memory', () => {
  it.each<[words: readonly string[], message: string]>([
    [['search', ' '], 'there is nothing to look for: the text is empty'],
    [['search', 'x', '--limit', '0'], '--limit 0: expected at least 1'],
    [['stats', '--scope', ''], '--scope is empty'],
    [['stats', '--db', ''], '--db is empty'],
    [['export', '--out', ''], '--out is empty'],
    [['add', 'x', '--id', ''], 'the id has 0 characters, of 1 to 200'],
    [['add', 'x', '--id', 'i'.repeat(201)], 'the id has 201 characters, of 1 to 200'],
  ])('%j is refused', async (words, message) => {
    const { run, idsLeft } = await openFolder({ own: CITIES });
    const { exitCode, stderr, stdout } = await run(words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`error: ${message}\n`);
    expect((await idsLeft()).length).toBe(CITIES.length);
  });

  it('says of a file that cannot be opened what is wrong with it, and not that SQLite is missing', async () => {
    const { run, folder } = await openFolder();
    mkdirSync(join(folder, 'a folder'));
    const { exitCode, stderr } = await run(['add', 'x', '--db', join(folder, 'a folder')]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('a folder cannot be used: unable to open database file\nSee that it is a file');
    expect(stderr).not.toContain('npm');
  });
});

describe('a file that is named by mistake', () => {
  it('is left as it is where it holds text', async () => {
    const { run, folder } = await openFolder();
    const file = join(folder, 'README.md');
    writeFileSync(file, '# Mine\nGrüße\n');
    for (const words of [['stats'], ['add', 'x'], ['forget', '--max-entries', '0', '--yes']]) {
      const { exitCode, stderr } = await run([...words, '--db', file]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('README.md is no memory: it holds text');
    }
    expect(readFileSync(file, 'utf8')).toBe('# Mine\nGrüße\n');
    expect(readdirSync(folder).toSorted()).toEqual(['README.md', 'task.yaml']);
  });
});

describe('a search', () => {
  it('says how many memories it could not compare by their meaning', async () => {
    const store = new InMemoryStore();
    await store.put('s', [
      embedded(fact('a', 'one'), vectorOf(1)),
      embedded(fact('b', 'two'), vectorOf(1), 'older'),
      { record: fact('c', 'three') },
    ]);
    const embedder: Embedder = {
      ...{ model: 'm', dimensions: 32, close: () => Promise.resolve() },
      embed: () => Promise.resolve({ model: 'm', vector: vectorOf(1) }),
    };
    const given = { store, scope: 's', memory: {} as never };
    expect(await searchMemories({ ...given, embedder }, 'x', { limit: 9 })).toMatchObject({
      withoutVector: 2,
    });
    expect(await searchMemories({ ...given, embedder: null }, 'x', { limit: 9 })).toMatchObject({
      similarity: 'words',
      withoutVector: 0,
    });
  });
});
