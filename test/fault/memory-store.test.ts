import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SqliteMemoryStore } from '../../src/memory/sqlite-store.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { embedded, fact, vectorOf } from '../support/memory-entries.ts';

const JITI = join(createRequire(import.meta.url).resolve('jiti/package.json'), '..', 'lib', 'jiti-cli.mjs');
const CHILD = fileURLToPath(new URL('../support/memory-child.ts', import.meta.url));

interface Child {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  readonly lines: Interface;
}

function startChild(...args: readonly string[]): Child {
  const child = spawn(process.execPath, [JITI, CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { process: child, lines: createInterface(child.stdout) };
}

function openStore(path: string): { store: SqliteMemoryStore; warnings: string[] } {
  const warnings: string[] = [];
  const store = new SqliteMemoryStore({ path, warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return { store, warnings };
}

/** How many entries each way of looking finds; they must agree. */
async function countEverywhere(store: SqliteMemoryStore): Promise<number> {
  const { entries } = await store.stats('s');
  const byWords = await store.searchByWords({ scope: 's', text: 'common', limit: 100_000 });
  const embedding = { model: 'm', vector: vectorOf(0) };
  const byVector = await store.searchByVector({ scope: 's', embedding, limit: 100_000 });
  const listed = await store.list({ scope: 's', limit: 100_000 });
  expect([byWords.length, byVector.length, listed.entries.length]).toEqual([entries, entries, entries]);
  return entries;
}

describe('a process that is killed while it writes', () => {
  it('leaves every call that returned whole, and of the last all or nothing', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const { store, warnings } = openStore(path);
    let least = 0;
    for (const [round, linesBeforeKill] of [1, 9, 40].entries()) {
      const child = startChild(path, `round${round}`);
      let returned = 0;
      for await (const line of child.lines) {
        returned = Number(line);
        if (returned === linesBeforeKill) child.process.kill('SIGKILL');
      }
      least += returned;
      const entries = await countEverywhere(store);
      expect(entries % 5).toBe(0);
      expect(entries).toBeGreaterThanOrEqual(least * 5);
      expect(entries).toBeLessThanOrEqual((least + round + 1) * 5);
    }
    expect(warnings).toEqual([]);
    await store.close();
    const database = new Database(path, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
  });
});

describe('processes that write at once', () => {
  it('all get through, and each sees what the others wrote', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const { store, warnings } = openStore(path);
    // Nobody has made the file yet: all of them try.
    const children = ['a', 'b', 'c'].map((name) => startChild(path, name, '40'));
    const ends = children.map(({ process }) => once(process, 'exit'));
    const said: string[] = [];
    for (const { lines } of children) lines.on('line', (line) => said.push(line));
    for (let index = 0; index < 40; index++) {
      await store.put('s', [embedded(fact(`own/${index}`, 'own common'), vectorOf(index))]);
      const hits = await store.searchByWords({ scope: 's', text: 'own', limit: 1000 });
      expect(hits).toHaveLength(index + 1);
    }
    for (const [code] of await Promise.all(ends)) expect(code).toBe(0);
    expect(await countEverywhere(store)).toBe(3 * 40 * 5 + 40);
    expect(said.filter((line) => line.startsWith('warning'))).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('see what another forgot', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const [first, second] = [openStore(path).store, openStore(path).store];
    await first.put('s', [
      embedded(fact('a', 'one common'), vectorOf(1)),
      embedded(fact('b', 'common'), vectorOf(2)),
    ]);
    expect(await countEverywhere(second)).toBe(2);
    await first.forget({ scope: 's', ids: ['a'] });
    expect(await countEverywhere(second)).toBe(1);
    await second.put('s', [embedded(fact('b', 'other common'), vectorOf(3))]);
    expect(await countEverywhere(first)).toBe(1);
    expect(await first.searchByWords({ scope: 's', text: 'other', limit: 1 })).toHaveLength(1);
  });

  it('give up in the end on one that never stops, and can be asked again', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const store = new SqliteMemoryStore({ path, warn: expect.unreachable, busyLimitMs: 100 });
    onTestFinished(() => store.close());
    await store.put('s', [{ record: fact('a', 'x') }]);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    await expect(store.put('s', [{ record: fact('b', 'y') }])).rejects.toMatchObject({
      code: 'memory_busy',
      retry: 'TRANSIENT',
    });
    // Who only reads waits for nobody.
    expect((await store.stats('s')).entries).toBe(1);
    other.exec('ROLLBACK');
    other.close();
    await store.put('s', [{ record: fact('b', 'y') }]);
    expect((await store.stats('s')).entries).toBe(2);
  });

  it('wait for a long writer without blocking', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const { store } = openStore(path);
    await store.put('s', [{ record: fact('a', 'x') }]);
    const other = new Database(path);
    other.exec('BEGIN IMMEDIATE');
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (turns === 20) other.exec('COMMIT');
    }, 10);
    await store.put('s', [{ record: fact('b', 'y') }]);
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(20);
    other.close();
    expect((await store.stats('s')).entries).toBe(2);
  });
});

describe('a file that is no good', () => {
  const contents: Record<string, (path: string) => void> = {
    text: (path) =>
      writeFileSync(path, 'This is a shopping list: milk, bread and a good deal more of everything.'),
    zeros: (path) => writeFileSync(path, Buffer.alloc(20_000)),
    'a store whose tables are overwritten': (path) => overwrite(path, 100, 6000),
    'a store that is cut short': (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  };

  it.each(Object.entries(contents))(
    '(%s) is kept aside and named, and a new one is begun',
    async (_name, damage) => {
      const path = join(temporaryFolder(), 'memory.db');
      const before = openStore(path).store;
      await before.put(
        's',
        Array.from({ length: 300 }, (_value, index) =>
          embedded(fact(`${index}`, 'old common'), vectorOf(index)),
        ),
      );
      await before.close();
      damage(path);
      const bytes = readFileSync(path);
      const { store, warnings } = openStore(path);
      await store.put('s', [embedded(fact('new', 'new common'), vectorOf(1))]);
      await store.searchByWords({ scope: 's', text: 'common', limit: 1000 });
      await store.list({ scope: 's', limit: 1000 });
      await store.put('s', [embedded(fact('new', 'new common'), vectorOf(1))]);
      expect(await countEverywhere(store)).toBe(1);
      const aside = readdirSync(dirname(path)).filter((name) => /^memory\.db\.corrupt-\w+$/.test(name));
      expect(aside).toHaveLength(1);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(`it is kept as ${join(dirname(path), aside[0]!)}`);
      expect(readFileSync(join(dirname(path), aside[0]!)).subarray(0, 16)).toEqual(bytes.subarray(0, 16));
    },
  );

  it('is found while it is in use, too', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const { store, warnings } = openStore(path);
    await store.put('s', [embedded(fact('a', 'old common'), vectorOf(1))]);
    writeFileSync(`${path}.new`, 'no database');
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix);
    renameSync(`${path}.new`, path);
    await store.put('s', [embedded(fact('b', 'new common'), vectorOf(1))]);
    expect(await countEverywhere(store)).toBe(1);
    expect(warnings).toHaveLength(1);
  });

  it('of another program is refused and not touched', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const database = new Database(path);
    database.exec('CREATE TABLE theirs (x)');
    database.close();
    const bytes = readFileSync(path);
    const { store, warnings } = openStore(path);
    await expect(store.stats('s')).rejects.toMatchObject({ code: 'memory_invalid' });
    expect(readFileSync(path)).toEqual(bytes);
    expect(readdirSync(dirname(path))).toEqual(['memory.db']);
    expect(warnings).toEqual([]);
  });

  it('of a newer version is refused and not touched', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    const first = openStore(path).store;
    await first.put('s', [{ record: fact('a', 'x') }]);
    await first.close();
    const database = new Database(path);
    database.pragma('user_version = 99');
    database.close();
    await expect(openStore(path).store.stats('s')).rejects.toThrow('was written by a newer version');
  });

  it('in a place that cannot be written is an error that names it', async () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, '');
    const { store } = openStore(join(path, 'memory.db'));
    await expect(store.stats('s')).rejects.toMatchObject({ code: 'memory_unavailable' });
  });

  it('is never one that is merely empty, nor one that was removed meanwhile', async () => {
    const path = join(temporaryFolder(), 'memory.db');
    writeFileSync(path, '');
    const { store, warnings } = openStore(path);
    await store.put('s', [embedded(fact('a', 'common'), vectorOf(1))]);
    expect(await countEverywhere(store)).toBe(1);
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    expect(await countEverywhere(store)).toBe(0);
    expect(warnings).toEqual([]);
  });
});

function overwrite(path: string, from: number, length: number): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(length, 0xa5), 0, length, from);
  closeSync(file);
}
