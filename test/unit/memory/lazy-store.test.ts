import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LazyMemoryStore } from '../../../src/memory/lazy-store.ts';
import { temporaryFolder } from '../../support/flight-events.ts';
import { fact } from '../../support/memory-entries.ts';

let isSqliteMissing = false;
vi.mock('better-sqlite3', async (importOriginal) => {
  const actual = await importOriginal<{ default: new (...args: unknown[]) => unknown }>();
  return {
    // Its native part is looked for by the first database, not by the import.
    default: function Database(...args: unknown[]) {
      if (isSqliteMissing) throw new Error('Could not locate the bindings file.\nTried: a, b, c');
      return new actual.default(...args);
    },
  };
});

function openStore(path: string): { store: LazyMemoryStore; warnings: string[] } {
  const warnings: string[] = [];
  const store = new LazyMemoryStore({ path, warn: (message) => warnings.push(message) });
  onTestFinished(() => store.close());
  return { store, warnings };
}

const words = { scope: 's', text: 'moss', limit: 5 };

describe('a store that is opened when it is needed', () => {
  it('finds nothing and makes nothing before anything is kept', async () => {
    const folder = temporaryFolder();
    const { store, warnings } = openStore(join(folder, 'memory.db'));
    expect(await store.searchByWords(words)).toEqual([]);
    expect(
      await store.searchByVector({
        ...{ scope: 's', limit: 5, embedding: { model: 'm', vector: Float32Array.of(1) } },
      }),
    ).toEqual([]);
    expect(await store.list({ scope: 's', limit: 5 })).toEqual({ entries: [] });
    expect(await store.stats('s')).toMatchObject({ entries: 0, bytes: 0 });
    expect(await store.forget({ scope: 's', ids: ['a'] })).toBe(0);
    expect(await store.scopes()).toEqual([]);
    await store.put('s', []);
    expect(readdirSync(folder)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('keeps what is put into it, and finds what another has kept meanwhile', async () => {
    const path = join(temporaryFolder(), 'deep', 'memory.db');
    const [{ store }, { store: other }] = [openStore(path), openStore(path)];
    expect(await other.searchByWords(words)).toEqual([]);
    await store.put('s', [{ record: fact('a', 'moss') }]);
    expect(existsSync(path)).toBe(true);
    expect(await other.searchByWords(words)).toMatchObject([{ record: { id: 'a' } }]);
    expect(await other.scopes()).toEqual(['s']);
    expect(await other.forget({ scope: 's', ids: ['a'] })).toBe(1);
    expect(await store.list({ scope: 's', limit: 5 })).toEqual({ entries: [] });
  });

  it('without SQLite keeps for as long as the process lives, and says so once', async () => {
    isSqliteMissing = true;
    onTestFinished(() => {
      isSqliteMissing = false;
    });
    const path = join(temporaryFolder(), 'memory.db');
    const first = openStore(path);
    await first.store.put('s', [{ record: fact('a', 'moss') }]);
    await first.store.close();
    expect(first.warnings).toEqual([
      `better-sqlite3 cannot be loaded (Could not locate the bindings file.): what is remembered lasts as long as this process, not in ${path}`,
    ]);
    const next = openStore(path);
    expect(await next.store.searchByWords(words)).toMatchObject([{ record: { id: 'a' } }]);
    expect(next.warnings).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });
});
