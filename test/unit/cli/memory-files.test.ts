import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { writeLines } from '../../../src/compose/memory-admin-transfer.ts';
import { fact } from '../../support/memory-entries.ts';
import { bare, CITIES, openFolder } from './memory-folder.ts';
import { recordIo } from './support.ts';

describe('memory export and import', () => {
  it('carry one scope to another file, once, without credentials', async () => {
    const from = await openFolder({
      own: [...CITIES, bare(fact('key', 'password: hunter2hunter2'))],
      other: [bare(fact('leak', 'x'))],
    });
    const file = join(from.folder, 'memories.jsonl');
    const exported = await from.run(['export', '--out', file]);
    expect(exported.stdout).toBe('exported 4 memories of scope "own", credentials masked in 1\n');
    expect(readFileSync(file, 'utf8')).not.toMatch(/hunter2|leak/);
    expect((await from.run(['export'])).stdout).toBe(readFileSync(file, 'utf8'));
    const to = await openFolder({ team: [bare(fact('tokyo', 'as it was'))] });
    const imported = await to.run(['import', file, '--scope', 'team']);
    expect(imported.exitCode).toBe(0);
    expect(imported.stdout).toContain(
      'imported 3 memories into scope "team", 1 skipped, which was there already\n',
    );
    expect((await to.idsLeft('team')).toSorted()).toEqual(['key', 'osaka', 'run-1/episode', 'tokyo']);
    expect(await to.json('show', 'tokyo', '--scope', 'team')).toMatchObject({ text: 'as it was' });
    await to.run(['import', file, '--scope', 'team', '--replace']);
    expect(await to.json('show', 'tokyo', '--scope', 'team')).toMatchObject({ text: CITIES[0]!.record.text });
    expect(await to.idsLeft()).toEqual([]);
  });

  it('read the standard input too, and name every line that is no memory', async () => {
    const { run, idsLeft } = await openFolder();
    const stdin = new PassThrough();
    stdin.end(`{\n${JSON.stringify({ record: fact('a', 'Grüße \u{1f5fc}') })}\n[]`);
    const { exitCode, stdout, stderr } = await run(['import', '-'], { ...recordIo(), stdin });
    expect(exitCode).toBe(1);
    expect(stdout).toContain('imported 1 memory into scope "own", 2 lines left out');
    expect(stderr).toMatch(/^the standard input:1: .*\nthe standard input:3: /);
    expect(await idsLeft()).toEqual(['a']);
  });

  it('refuse a file that cannot be read or written, or is no text of lines', async () => {
    const { run, folder } = await openFolder({ own: CITIES });
    const missing = await run(['import', join(folder, 'none.jsonl')]);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain('cannot be read (ENOENT');
    writeFileSync(join(folder, 'long'), 'x'.repeat(3 << 20));
    expect((await run(['import', join(folder, 'long')])).stderr).toContain('line 1 is longer than 1 MiB');
    const unwritable = await run(['export', '--out', join(folder, 'no', 'where')]);
    expect(unwritable.exitCode).toBe(2);
    expect(unwritable.stderr).toContain('cannot be written');
  });
});

describe('memory export', () => {
  it('leaves what a file held until all is written, and never writes over the memories', async () => {
    const { run, folder, db, idsLeft } = await openFolder({ own: CITIES });
    const file = join(folder, 'memories.jsonl');
    writeFileSync(file, 'an export of yesterday');
    const into = await run(['export', '--out', db]);
    expect(into.exitCode).toBe(2);
    expect(into.stderr).toContain('holds the memories themselves');
    expect((await idsLeft()).length).toBe(CITIES.length);
    async function* half(): AsyncGenerator<string> {
      yield await Promise.resolve('{}\n');
      throw new Error('the disk is gone');
    }
    await expect(writeLines(file, half(), { memoryPath: db })).rejects.toThrow('the disk is gone');
    expect(readFileSync(file, 'utf8')).toBe('an export of yesterday');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect((await run(['export', '--out', file])).exitCode).toBe(0);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(CITIES.length + 1);
  });
});

describe('which memory', () => {
  it('is said by the task, then the environment, then the command line', async () => {
    const { run, db } = await openFolder({
      own: [bare(fact('of the task', 'x'))],
      env: [bare(fact('of the environment', 'x'))],
      line: [bare(fact('of the command line', 'x'))],
    });
    expect((await run(['list'])).stdout).toContain('of the task');
    const env = { ORCHESTRATE_MEMORY_SCOPE: 'env' };
    expect((await run(['list'], recordIo(env))).stdout).toContain('of the environment');
    expect((await run(['list', '--scope', 'line'], recordIo(env))).stdout).toContain('of the command line');
    const away = await run(['list', '--db', join(dirname(db), 'another.db')]);
    expect(away.stdout).toContain('Nothing is remembered');
  });

  it('does not hang on the rest of the task, but on its section', async () => {
    const { run, folder } = await openFolder({ own: CITIES });
    const task = (text: string): void => writeFileSync(join(folder, 'task.yaml'), text);
    task('tools: [./none.ts]\nbudgt: 3\nmemory: { path: memory.db, scope: own, similarity: words }');
    expect((await run(['list'])).stdout).toContain('3 memories');
    task('name: t\nmemory: { scop: own }');
    const wrong = await run(['list']);
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toMatch(/task\.yaml:2:\d+ memory\.scop: .*memory\.scope|scope/);
    task('{{');
    expect((await run(['list'])).exitCode).toBe(2);
  });

  it('is a new one where its file is corrupt, which is kept aside and named', async () => {
    const { run, db, folder } = await openFolder();
    writeFileSync(db, 'This is a shopping list: milk, bread and a good deal more of everything.');
    const { exitCode, stdout, stderr } = await run(['list']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Nothing is remembered');
    const aside = readdirSync(folder).find((name) => name.startsWith('memory.db.corrupt-')) ?? 'none';
    expect(stderr).toContain(`it is kept as ${join(folder, aside)}`);
    expect(readFileSync(join(folder, aside), 'utf8')).toContain('shopping list');
  });
});
