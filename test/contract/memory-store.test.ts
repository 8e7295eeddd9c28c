import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MemoryEntry, MemoryHit, MemoryStore } from '../../src/contracts/memory.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { LazyMemoryStore } from '../../src/memory/lazy-store.ts';
import { cosine, jaccard, wordsOf } from '../../src/memory/similarity.ts';
import { SqliteMemoryStore } from '../../src/memory/sqlite-store.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { embedded, episode, fact, vectorOf } from '../support/memory-entries.ts';

const implementations: Record<string, () => MemoryStore> = {
  InMemoryStore: () => new InMemoryStore(),
  SqliteMemoryStore: () => openFile(SqliteMemoryStore),
  LazyMemoryStore: () => openFile(LazyMemoryStore),
};

function openFile(Store: typeof SqliteMemoryStore | typeof LazyMemoryStore): MemoryStore {
  const warnings: string[] = [];
  const store = new Store({
    path: join(temporaryFolder(), 'not', 'there', 'memory.db'),
    warn: (message) => warnings.push(message),
  });
  onTestFinished(async () => {
    await store.close();
    expect(warnings).toEqual([]);
  });
  return store;
}

const ids = (hits: readonly MemoryHit[]): string[] => hits.map(({ record }) => record.id);

async function listIds(store: MemoryStore, scope: string): Promise<string[]> {
  const { entries } = await store.list({ scope, limit: 1000 });
  return entries.map(({ record }) => record.id);
}

describe.each(Object.entries(implementations))('%s', (_, start) => {
  it('keeps what was put, character by character', async () => {
    const store = start();
    const entry: MemoryEntry = {
      record: {
        ...fact('f/1', 'Tokyo: 37,400,068 \u{1f5fc} \ud800 "$15" </facts>', 1_790_000_000_123),
        figures: [{ kind: 'number', text: '37,400,068', field: 'population' }],
      } as MemoryEntry['record'],
      embedding: { model: 'm', vector: vectorOf(1) },
    };
    await store.put('s', [entry]);
    expect((await store.list({ scope: 's', limit: 10 })).entries).toEqual([entry]);
    expect(await store.scopes()).toEqual(['s']);
  });

  it('lists by time, page by page', async () => {
    const store = start();
    const times = [5, 1, 3, 3, 9];
    await store.put(
      's',
      times.map((at, index) => ({ record: fact(`f${index}`, 'x', at) })),
    );
    expect(await listIds(store, 's')).toEqual(['f4', 'f0', 'f3', 'f2', 'f1']);
    for (const order of ['newest', 'oldest'] as const) {
      const seen: string[] = [];
      for (let after: string | undefined; ;) {
        const page = await store.list({
          scope: 's',
          order,
          limit: 2,
          ...(after === undefined ? {} : { after }),
        });
        seen.push(...page.entries.map(({ record }) => record.id));
        if (page.next === undefined) break;
        after = page.next;
      }
      const newestFirst = ['f4', 'f0', 'f3', 'f2', 'f1'];
      expect(seen).toEqual(order === 'newest' ? newestFirst : newestFirst.toReversed());
    }
    const some = await store.list({ scope: 's', ids: ['f1', 'f4', 'nothing'], limit: 10 });
    expect(some.entries.map(({ record }) => record.id)).toEqual(['f4', 'f1']);
    await store.put('s', [{ record: episode('e', 'x') }]);
    expect((await store.list({ scope: 's', tier: 'episodic', limit: 10 })).entries).toHaveLength(1);
  });

  it('replaces an entry of the same id, in every search too', async () => {
    const store = start();
    await store.put('s', [embedded(fact('f', 'red apples'), vectorOf(1))]);
    await store.searchByWords({ scope: 's', text: 'apples', limit: 3 });
    await store.put('s', [embedded(fact('f', 'blue pears'), vectorOf(2))]);
    expect(await listIds(store, 's')).toEqual(['f']);
    expect(await store.searchByWords({ scope: 's', text: 'apples', limit: 3 })).toEqual([]);
    const [hit] = await store.searchByVector({
      scope: 's',
      embedding: { model: 'm', vector: vectorOf(2) },
      limit: 3,
    });
    expect(hit?.score).toBeCloseTo(1, 5);
    expect(hit?.record.text).toBe('blue pears');
    await store.put('s', [{ record: episode('f', 'blue pears') }]);
    expect(await store.searchByWords({ scope: 's', tier: 'semantic', text: 'pears', limit: 3 })).toEqual([]);
    expect((await store.stats('s')).entries).toBe(1);
  });

  it('finds by vector what an exact search finds, with exact scores', async () => {
    const store = start();
    const vectors = Array.from({ length: 3000 }, (_value, seed) => vectorOf(seed));
    await store.put(
      's',
      vectors.map((vector, seed) => embedded(fact(String(seed), 'x'), vector)),
    );
    for (let query = 5000; query < 5010; query++) {
      const vector = vectorOf(query);
      const exact = vectors
        .map((one, seed) => ({ id: String(seed), score: cosine(one, vector) }))
        .toSorted((a, b) => b.score - a.score)
        .slice(0, 10);
      const hits = await store.searchByVector({ scope: 's', embedding: { model: 'm', vector }, limit: 10 });
      expect(hits.map(({ record, score }) => ({ id: record.id, score }))).toEqual(exact);
    }
  });

  it('finds by words what an exact search finds, ties to the later written', async () => {
    const store = start();
    const words = ['port', 'closed', 'tokyo', 'report', 'refused', '5432', 'the', 'of'];
    const texts = Array.from({ length: 400 }, (_value, index) =>
      words.filter((_word, bit) => (index * 7 + 3) & (1 << bit)).join(' '),
    );
    const kept = texts.flatMap((text, index) => (text === '' ? [] : [{ record: fact(String(index), text) }]));
    await store.put('s', kept);
    const query = 'The port 5432 of Tokyo';
    const exact = kept
      .map(({ record }, place) => ({ record, place, score: jaccard(wordsOf(record.text), wordsOf(query)) }))
      .toSorted((a, b) => b.score - a.score || b.place - a.place)
      .slice(0, 25);
    const hits = await store.searchByWords({ scope: 's', text: query, limit: 25 });
    expect(hits).toEqual(exact.map(({ record, score }) => ({ record, score })));
    expect(await store.searchByWords({ scope: 's', text: 'nothing shared', limit: 25 })).toEqual([]);
    expect(await store.searchByWords({ scope: 's', text: '', limit: 25 })).toEqual([]);
    expect(await store.searchByWords({ scope: 's', text: query, limit: 0 })).toEqual([]);
  });

  it('finds texts by words that are written without spaces', async () => {
    const store = start();
    await store.put('s', [
      { record: fact('beijing', '北京人口约为两千一百万。') },
      { record: fact('tokyo', '東京の人口は約三千七百万人です。') },
      { record: fact('rain', '大阪は雨です。') },
      { record: fact('bangkok', 'กรุงเทพมีประชากรสิบล้านคน') },
    ]);
    const find = async (text: string) => ids(await store.searchByWords({ scope: 's', text, limit: 1 }));
    expect(await find('北京的人口是多少')).toEqual(['beijing']);
    expect(await find('東京の人口は？')).toEqual(['tokyo']);
    expect(await find('大阪の天気は雨？')).toEqual(['rain']);
    expect(await find('ประชากรกรุงเทพ')).toEqual(['bangkok']);
  });

  it('never compares vectors of two models or lengths', async () => {
    const store = start();
    await store.put('s', [
      embedded(fact('a', 'x'), vectorOf(1), 'one'),
      embedded(fact('b', 'x'), vectorOf(1), 'two'),
      embedded(fact('c', 'x'), vectorOf(1, 64), 'one'),
      { record: fact('d', 'x') },
    ]);
    const search = (model: string, dimensions: number) =>
      store.searchByVector({ scope: 's', embedding: { model, vector: vectorOf(1, dimensions) }, limit: 9 });
    expect(ids(await search('one', 32))).toEqual(['a']);
    expect(ids(await search('two', 32))).toEqual(['b']);
    expect(ids(await search('one', 64))).toEqual(['c']);
    expect(await search('three', 32)).toEqual([]);
    expect((await store.stats('s')).models).toEqual([
      { model: '', dimensions: 0, entries: 1 },
      { model: 'one', dimensions: 32, entries: 1 },
      { model: 'one', dimensions: 64, entries: 1 },
      { model: 'two', dimensions: 32, entries: 1 },
    ]);
  });

  it('keeps scopes apart in everything that it does', async () => {
    const store = start();
    const names = ['a', 'b', 'a ', '', 'A', "a' OR '1'='1", '__proto__'];
    for (const scope of names) {
      await store.put(scope, [
        embedded(fact('same', `secret of ${JSON.stringify(scope)}`, 1), vectorOf(1)),
        embedded(episode('run', 'secret run', 1), vectorOf(1)),
      ]);
    }
    expect((await store.scopes()).toSorted()).toEqual(names.toSorted());
    await store.forget({ scope: 'b', ids: ['same'] });
    await store.forget({ scope: 'a ', olderThan: 2 });
    await store.forget({ scope: 'A', keepEntries: 0 });
    for (const scope of [...names, 'none']) {
      const expected = scope === 'b' ? 1 : ['a ', 'A', 'none'].includes(scope) ? 0 : 2;
      const embedding = { model: 'm', vector: vectorOf(1) };
      const found = [
        await store.searchByVector({ scope, embedding, limit: 99 }),
        await store.searchByWords({ scope, text: 'secret', limit: 99 }),
      ];
      for (const hits of found) {
        expect(hits).toHaveLength(expected);
        for (const { record } of hits) {
          if (record.tier === 'semantic') expect(record.text).toBe(`secret of ${JSON.stringify(scope)}`);
        }
      }
      expect(await listIds(store, scope)).toHaveLength(expected);
      expect((await store.stats(scope)).entries).toBe(expected);
    }
  });

  it('forgets by id, by age and by size, the oldest first', async () => {
    const store = start();
    const entries = [4, 2, 8, 6, 5].map((at) => ({ record: fact(`t${at}`, 'word'.repeat(20), at) }));
    await store.put('s', entries);
    await store.put('s', [{ record: episode('e', 'kept', 1) }]);
    expect(await store.forget({ scope: 's', ids: ['t8', 'nothing'] })).toBe(1);
    expect(await store.forget({ scope: 's', tier: 'semantic', olderThan: 4 })).toBe(1);
    const { bytes, entries: count } = (await store.stats('s')).tiers.semantic;
    expect(count).toBe(3);
    expect(await store.forget({ scope: 's', tier: 'semantic', keepBytes: bytes })).toBe(0);
    expect(await store.forget({ scope: 's', tier: 'semantic', keepBytes: bytes - 1 })).toBe(1);
    expect(await listIds(store, 's')).toEqual(['t6', 't5', 'e']);
    expect(await store.forget({ scope: 's', keepEntries: 1 })).toBe(2);
    expect(await listIds(store, 's')).toEqual(['t6']);
    expect(ids(await store.searchByWords({ scope: 's', text: 'kept word', limit: 9 }))).toEqual([]);
    expect(await store.forget({ scope: 's', keepEntries: 0 })).toBe(1);
    expect(await store.stats('s')).toEqual({
      entries: 0,
      bytes: 0,
      tiers: { episodic: { entries: 0, bytes: 0 }, semantic: { entries: 0, bytes: 0 } },
      models: [],
    });
  });

  it('goes on to find what is left after much was forgotten', async () => {
    const store = start();
    const entries = Array.from({ length: 2500 }, (_value, index) =>
      embedded(fact(String(index), `word${index} common`, index), vectorOf(index)),
    );
    await store.put('s', entries);
    await store.searchByWords({ scope: 's', text: 'common', limit: 1 });
    await store.forget({ scope: 's', keepEntries: 500 });
    await store.put('s', [embedded(fact('new', 'new common', 9999), vectorOf(9999))]);
    const byWords = await store.searchByWords({ scope: 's', text: 'common', limit: 1000 });
    expect(byWords).toHaveLength(501);
    const embedding = { model: 'm', vector: vectorOf(9999) };
    const byVector = await store.searchByVector({ scope: 's', embedding, limit: 1000 });
    expect(byVector).toHaveLength(501);
    expect(byVector[0]?.record.id).toBe('new');
  });

  it('refuses what is no memory, and then keeps nothing of the call', async () => {
    const store = start();
    const good = { record: fact('good', 'x') };
    const bad: MemoryEntry[] = [
      { record: fact('', 'x') },
      { record: fact('f', '') },
      { record: { ...fact('f', 'x'), more: 1 } as never },
      { record: fact('f', 'x'), embedding: { model: 'm', vector: new Float32Array(4) } },
      { record: fact('f', 'x'), embedding: { model: 'm', vector: Float32Array.of(Number.NaN, 1) } },
      { record: fact('f', 'x'), embedding: { model: 'm', vector: new Float32Array() } },
    ];
    for (const entry of bad) {
      await expect(store.put('s', [good, entry])).rejects.toMatchObject({ code: 'memory_invalid' });
    }
    expect(await listIds(store, 's')).toEqual([]);
  });

  it('takes many calls at once', async () => {
    const store = start();
    await Promise.all(
      Array.from({ length: 40 }, async (_value, index) => {
        await store.put('s', [embedded(fact(`f${index}`, `number ${index}`), vectorOf(index))]);
        const [found] = await store.searchByWords({ scope: 's', text: `${index}`, limit: 1 });
        expect(found?.record.id).toBe(`f${index}`);
        const embedding = { model: 'm', vector: vectorOf(index) };
        const [alike] = await store.searchByVector({ scope: 's', embedding, limit: 1 });
        expect(alike?.record.id).toBe(`f${index}`);
      }),
    );
    expect((await store.stats('s')).entries).toBe(40);
  });
});
