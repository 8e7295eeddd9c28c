import { describe, expect, it } from 'vitest';
import type { Embedder, MemoryStore } from '../../../src/contracts/memory.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import { MemoryRecorder } from '../../../src/memory/memory-recorder.ts';
import { recall } from '../../../src/memory/recall.ts';
import { reindex } from '../../../src/memory/reindex.ts';
import { embedded, episode, fact, vectorOf } from '../../support/memory-entries.ts';

/** An embedder that knows these texts, by their seeds; it fails while `isDown`. */
function fakeEmbedder(
  seeds: Record<string, number>,
  model = 'm',
): Embedder & { calls: string[]; isDown: boolean } {
  const embedder = {
    ...{ model, dimensions: 32, calls: [] as string[], isDown: false },
    embed(text: string) {
      embedder.calls.push(text);
      if (embedder.isDown) return Promise.reject(new OrchestratorError('embedding_failed', 'it is down'));
      return Promise.resolve({ model, vector: vectorOf(seeds[text] ?? text.length + 1000) });
    },
    close: () => Promise.resolve(),
  };
  return embedder;
}

const idsOf = (hits: readonly { readonly record: { readonly id: string } }[]): string[] =>
  hits.map(({ record }) => record.id);

describe('recall', () => {
  it('finds what means the same and what says the same, in both tiers', async () => {
    const store = new InMemoryStore();
    await store.put('s', [
      embedded(fact('meaning', 'entirely other words'), vectorOf(1)),
      embedded(fact('saying', 'how large was it'), vectorOf(2)),
      embedded(fact('neither', 'nothing'), vectorOf(4)),
      embedded(episode('run', 'another thing'), vectorOf(1)),
    ]);
    const embedder = fakeEmbedder({ 'how large': 1 });
    const found = await recall('how large', { store, scope: 's', embedder });
    expect(idsOf(found.semantic)).toEqual(['meaning', 'saying']);
    expect(idsOf(found.episodic)).toEqual(['run']);
    expect(found).toMatchObject({ similarity: 'fusion', model: 'm', warnings: [] });
    for (const { score } of [...found.semantic, ...found.episodic]) {
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    const byVector = await recall('how large', { store, scope: 's', embedder, similarity: 'vectors' });
    expect(idsOf(byVector.semantic)).toEqual(['meaning']);
    const byWords = await recall('how large', { store, scope: 's', embedder, similarity: 'words' });
    expect(idsOf(byWords.semantic)).toEqual(['saying']);
  });

  it('goes by words where a call fails, says so, and tries again the next time', async () => {
    const store = new InMemoryStore();
    await store.put('s', [embedded(fact('f', 'how large was it'), vectorOf(9))]);
    const embedder = fakeEmbedder({ 'how large': 9 });
    embedder.isDown = true;
    const first = await recall('how large', { store, scope: 's', embedder });
    expect(idsOf(first.semantic)).toEqual(['f']);
    expect(first.similarity).toBe('words');
    expect(first.warnings).toEqual([
      'memories were compared by their words, not by their meaning: it is down',
    ]);
    embedder.isDown = false;
    const second = await recall('how large', { store, scope: 's', embedder });
    expect(second).toMatchObject({ similarity: 'fusion', warnings: [] });
  });

  it('loads no model where nothing is kept', async () => {
    const embedder = fakeEmbedder({});
    const found = await recall('x', { store: new InMemoryStore(), scope: 's', embedder });
    expect(found).toMatchObject({ episodic: [], semantic: [], warnings: [] });
    expect(embedder.calls).toEqual([]);
  });

  it('finds memories without a vector, or with one of another model, by their words', async () => {
    const store = new InMemoryStore();
    await store.put('s', [
      ...Array.from({ length: 40 }, (_value, index) => embedded(fact(`o${index}`, 'other'), vectorOf(index))),
      { record: fact('bare', 'ticket OPS-2291') },
      embedded(fact('old', 'ticket OPS-2292'), vectorOf(1), 'older'),
    ]);
    const embedder = fakeEmbedder({ 'ticket OPS-2291': 77 });
    const found = await recall('ticket OPS-2291', { store, scope: 's', embedder });
    expect(idsOf(found.semantic).slice(0, 2)).toEqual(['bare', 'old']);
  });

  it('finds a long memory without a vector by the one word that it shares', async () => {
    const store = new InMemoryStore();
    const long = `Lima ${Array.from({ length: 60 }, (_value, index) => `word${index}`).join(' ')}`;
    await store.put('s', [
      { record: fact('bare', long) },
      embedded(fact('other', `${long} more`), vectorOf(3)),
    ]);
    const found = await recall('population of Lima', { store, scope: 's', embedder: fakeEmbedder({}) });
    expect(idsOf(found.semantic)).toEqual(['bare']);
  });

  it('finds nothing where the store fails, and says so', async () => {
    const broken = { list: () => Promise.reject(new Error('gone')) } as unknown as MemoryStore;
    const store = Object.assign(new InMemoryStore(), {
      list: broken.list.bind(broken),
      searchByWords: () => Promise.reject(new Error('gone')),
    });
    const found = await recall('x', { store, scope: 's', embedder: null });
    expect(found).toMatchObject({ episodic: [], semantic: [] });
    expect(found.warnings).toEqual([
      'nothing episodic was recalled: gone',
      'nothing semantic was recalled: gone',
    ]);
  });
});

describe('the recorder', () => {
  it('keeps everything by the time it has settled, and holds up nobody', async () => {
    const store = new InMemoryStore();
    const embedder = fakeEmbedder({});
    const recorder = new MemoryRecorder({ store, scope: 's', embedder });
    recorder.record(Array.from({ length: 120 }, (_value, index) => fact(`f${index}`, `number ${index}`)));
    recorder.record([episode('e', 'x')]);
    expect((await store.stats('s')).entries).toBe(0);
    expect(await recorder.settled()).toEqual({ kept: 121, withoutVector: 0, warnings: [] });
    expect((await store.stats('s')).models).toEqual([{ model: 'm', dimensions: 32, entries: 121 }]);
  });

  it('keeps memories without vectors where the model fails, once a batch', async () => {
    const store = new InMemoryStore();
    const embedder = fakeEmbedder({});
    embedder.isDown = true;
    const recorder = new MemoryRecorder({ store, scope: 's', embedder });
    recorder.record([fact('a', 'x'), fact('b', 'y'), fact('c', 'z')]);
    expect(await recorder.settled()).toEqual({
      kept: 3,
      withoutVector: 3,
      warnings: ['memories were kept without vectors: it is down'],
    });
    expect(embedder.calls).toHaveLength(1);
  });

  it('says what could not be kept', async () => {
    const store = Object.assign(new InMemoryStore(), { put: () => Promise.reject(new Error('disk full')) });
    const recorder = new MemoryRecorder({ store, scope: 's', embedder: null });
    recorder.record([fact('a', 'x')]);
    expect(await recorder.settled()).toEqual({
      kept: 0,
      withoutVector: 0,
      warnings: ['1 memories were not kept: disk full'],
    });
  });
});

describe('reindexing', () => {
  it('gives every memory a vector of the model, and no other anything', async () => {
    const store = new InMemoryStore();
    const records = Array.from({ length: 230 }, (_value, index) =>
      fact(`f${index}`, `text ${index}`, index % 7),
    );
    await store.put(
      's',
      records.map((record, index) => (index % 3 === 0 ? { record } : embedded(record, vectorOf(1)))),
    );
    await store.put('other', [{ record: fact('x', 'x') }]);
    const embedder = fakeEmbedder({}, 'new');
    const seen: number[] = [];
    const count = await reindex({ store, scope: 's', embedder, onProgress: (done) => seen.push(done) });
    expect(count).toBe(230);
    expect(seen.at(-1)).toBe(230);
    expect((await store.stats('s')).models).toEqual([{ model: 'new', dimensions: 32, entries: 230 }]);
    expect((await store.stats('other')).models).toEqual([{ model: '', dimensions: 0, entries: 1 }]);
    expect(await reindex({ store, scope: 's', embedder })).toBe(0);
    expect(await reindex({ store, scope: 's', embedder, all: true })).toBe(230);
  });

  it('brings nothing back that was forgotten or changed meanwhile', async () => {
    const store = new InMemoryStore();
    const records = ['kept', 'gone', 'changed'].map((text) => fact(text, text));
    await store.put(
      's',
      records.map((record) => ({ record })),
    );
    const embedder = fakeEmbedder({});
    const embed = embedder.embed.bind(embedder);
    let isChanged = false;
    embedder.embed = async (text) => {
      if (!isChanged) {
        isChanged = true;
        await store.forget({ scope: 's', ids: ['gone'] });
        await store.put('s', [{ record: fact('changed', 'otherwise') }]);
      }
      return embed(text);
    };
    expect(await reindex({ store, scope: 's', embedder })).toBe(1);
    const { entries } = await store.list({ scope: 's', limit: 9 });
    const texts = entries.map(({ record, embedding }) => [record.text, embedding !== undefined]);
    expect(texts.toSorted()).toEqual([
      ['kept', true],
      ['otherwise', false],
    ]);
    expect(await reindex({ store, scope: 's', embedder })).toBe(1);
  });

  it('goes on where it failed', async () => {
    const store = new InMemoryStore();
    const records = Array.from({ length: 150 }, (_value, index) => ({
      record: fact(`f${index}`, 'x', index),
    }));
    await store.put('s', records);
    const embedder = fakeEmbedder({});
    const onProgress = (done: number): void => {
      embedder.isDown = done === 120;
    };
    await expect(reindex({ store, scope: 's', embedder, onProgress })).rejects.toThrow('it is down');
    embedder.isDown = false;
    expect(await reindex({ store, scope: 's', embedder })).toBe(30);
  });
});
