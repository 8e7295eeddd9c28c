import { describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../../src/contracts/memory.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import { exportMemories, importMemories } from '../../../src/memory/transfer.ts';
import { embedded, episode, fact, vectorOf } from '../../support/memory-entries.ts';

async function exportAll(store: MemoryStore, scope: string): Promise<{ lines: string[]; masked: number }> {
  const lines: string[] = [];
  let masked = 0;
  for await (const { text, isMasked } of exportMemories(store, scope)) {
    lines.push(text);
    masked += isMasked ? 1 : 0;
  }
  return { lines, masked };
}

describe('export and import', () => {
  it('carry everything over, vectors included', async () => {
    const from = new InMemoryStore();
    const entries = Array.from({ length: 450 }, (_value, index) =>
      index % 2 === 0
        ? embedded(fact(`f${index}`, `text ${index} \u2028 \u{1f5fc}`, index), vectorOf(index))
        : { record: episode(`e${index}`, 'x', index) },
    );
    await from.put('a', entries);
    await from.put('other', [{ record: fact('o', 'of another scope') }]);
    const { lines, masked } = await exportAll(from, 'a');
    expect(lines).toHaveLength(450);
    expect(masked).toBe(0);
    expect(lines.every((line) => !line.includes('\n'))).toBe(true);
    const to = new InMemoryStore();
    expect(await importMemories(to, 'b', [...lines, '', ' '])).toEqual({
      ...{ imported: 450, skipped: 0, masked: 0, refused: 0, problems: [] },
    });
    const page = await to.list({ scope: 'b', limit: 1000 });
    expect(page.entries).toEqual(entries.toReversed());
    expect(await to.scopes()).toEqual(['b']);
  });

  it('name every line that is no memory, and keep the others', async () => {
    const store = new InMemoryStore();
    const good = JSON.stringify({ record: fact('f', 'x') });
    const odd = { record: fact('g', 'x'), embedding: { model: 'm', vector: 'AAA=' } };
    const null4 = { record: fact('g', 'x'), embedding: { model: 'm', vector: 'AAAAAA==' } };
    const lines = ['{', '{"record":{"tier":"none"}}', good, JSON.stringify(odd), JSON.stringify(null4)];
    const report = await importMemories(store, 's', lines);
    expect(report).toMatchObject({ imported: 1, refused: 4 });
    expect(report.problems.map(({ line }) => line)).toEqual([1, 2, 4, 5]);
    expect(report.problems[3]?.message).toContain('unit length');
    const many = await importMemories(
      store,
      's',
      Array.from({ length: 250 }, () => '{'),
    );
    expect(many.refused).toBe(250);
    expect(many.problems).toHaveLength(100);
  });

  it('keep what is there already, unless it is to be replaced', async () => {
    const store = new InMemoryStore();
    await store.put('s', [{ record: fact('a', 'as it was') }]);
    const lines = [fact('a', 'as it came'), fact('b', 'first'), fact('b', 'second')].map((record) =>
      JSON.stringify({ record }),
    );
    const textsOf = async (): Promise<Record<string, string>> => {
      const { entries } = await store.list({ scope: 's', limit: 9 });
      return Object.fromEntries(entries.map(({ record }) => [record.id, record.text]));
    };
    expect(await importMemories(store, 's', lines)).toMatchObject({ imported: 1, skipped: 2 });
    expect(await textsOf()).toEqual({ a: 'as it was', b: 'first' });
    expect(await importMemories(store, 's', lines)).toMatchObject({ imported: 0, skipped: 3 });
    expect(await importMemories(store, 's', lines, { isReplacing: true })).toMatchObject({ imported: 2 });
    expect(await textsOf()).toEqual({ a: 'as it came', b: 'second' });
  });

  it('let no credential pass, nor the vector that was made from it', async () => {
    const secret = `sk-live-${'a1B2'.repeat(8)}`;
    const record = {
      ...fact('f', `the key is ${secret}`),
      figures: [{ kind: 'id', text: secret }],
    } as ReturnType<typeof fact>;
    const store = new InMemoryStore();
    await store.put('s', [embedded(record, vectorOf(1)), embedded(fact('g', 'plain'), vectorOf(2))]);
    const { lines, masked } = await exportAll(store, 's');
    expect(masked).toBe(1);
    expect(lines.join('\n')).not.toContain(secret);
    expect(lines.filter((line) => line.includes('"embedding"'))).toHaveLength(1);
    const to = new InMemoryStore();
    const line = JSON.stringify({ record });
    expect(await importMemories(to, 's', [line])).toMatchObject({ imported: 1, masked: 1 });
    expect(JSON.stringify(await to.list({ scope: 's', limit: 9 }))).not.toContain(secret);
  });
});
