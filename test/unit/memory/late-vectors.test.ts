import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../../src/contracts/memory.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import { LateVectors } from '../../../src/memory/late-vectors.ts';
import { fact, vectorOf } from '../../support/memory-entries.ts';

function given(embed: (text: string) => Promise<void> | void) {
  const store = new InMemoryStore();
  const embedder: Embedder = {
    ...{ model: 'm', dimensions: 32, close: () => Promise.resolve() },
    embed: async (text) => {
      await embed(text);
      return { model: 'm', vector: vectorOf(text.length) };
    },
  };
  const late = new LateVectors({ store, scope: 's', embedder }, 1000);
  const put = (...texts: string[]) =>
    store.put(
      's',
      texts.map((text) => ({ record: fact(text, text) })),
    );
  const withVectors = async (): Promise<string[]> => {
    const { entries } = await store.list({ scope: 's', limit: 99 });
    return entries
      .flatMap(({ record, embedding }) => (embedding === undefined ? [] : [record.text]))
      .toSorted();
  };
  return { store, late, put, withVectors };
}

describe('vectors that come later', () => {
  it('are there once they have settled, and hold up nobody', async () => {
    const { late, put, withVectors } = given(() => undefined);
    await put('a', 'bb', 'other');
    late.add([fact('a', 'a'), fact('bb', 'bb')]);
    expect(await withVectors()).toEqual([]);
    await late.settled(1000);
    expect(await withVectors()).toEqual(['a', 'bb']);
  });

  it('bring back nothing that was forgotten, and change nothing that says something else by then', async () => {
    const { store, late, put, withVectors } = given(async (text) => {
      if (text === 'gone') await store.forget({ scope: 's', ids: ['gone'] });
      if (text === 'old') await store.put('s', [{ record: fact('old', 'new') }]);
    });
    await put('gone', 'old', 'stays');
    late.add([fact('gone', 'gone'), fact('old', 'old'), fact('stays', 'stays')]);
    await late.settled(1000);
    expect(await withVectors()).toEqual(['stays']);
    const { entries } = await store.list({ scope: 's', limit: 9 });
    expect(entries.map(({ record }) => record.text).toSorted()).toEqual(['new', 'stays']);
  });

  it('are done without where the model fails, and tried again for what is added after', async () => {
    const asked: string[] = [];
    const { late, put, withVectors } = given((text) => {
      asked.push(text);
      if (asked.length === 1) throw new Error('it is down');
    });
    await put('a', 'b', 'c');
    late.add([fact('a', 'a'), fact('b', 'b')]);
    late.add([fact('c', 'c')]);
    await late.settled(1000);
    expect(asked).toEqual(['a', 'c']);
    expect(await withVectors()).toEqual(['c']);
  });

  it('are waited for no longer than they may take', async () => {
    const { late, put } = given(() => new Promise<void>(() => undefined));
    await put('a');
    late.add([fact('a', 'a')]);
    const started = performance.now();
    await late.settled(50);
    expect(performance.now() - started).toBeLessThan(900);
  });
});
