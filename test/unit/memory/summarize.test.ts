import { describe, expect, it } from 'vitest';
import type { MemoryRecord } from '../../../src/contracts/memory.ts';
import { readSection } from '../../../src/contracts/section.ts';
import { InMemoryStore } from '../../../src/memory/in-memory-store.ts';
import {
  findOverflow,
  interpretSummary,
  replaceBySummary,
  summaryRequest,
} from '../../../src/memory/summarize.ts';
import { episode, fact } from '../../support/memory-entries.ts';

const withFigures = (id: string, at: number, ...texts: string[]): MemoryRecord => ({
  ...(fact(id, `fact ${id}`, at) as Extract<MemoryRecord, { tier: 'semantic' }>),
  figures: texts.map((text) => ({ kind: 'number', text })),
});

async function filledStore(records: readonly MemoryRecord[]): Promise<InMemoryStore> {
  const store = new InMemoryStore();
  await store.put(
    's',
    records.map((record) => ({ record })),
  );
  return store;
}

describe('summing up', () => {
  it('is owed only where a tier holds more than it may, and by its oldest', async () => {
    const records = Array.from({ length: 15 }, (_value, index) => fact(`f${index}`, 'x', 100 - index));
    const store = await filledStore([...records, episode('e', 'x')]);
    expect(await findOverflow(store, 's', 'semantic', 15)).toEqual([]);
    expect(await findOverflow(store, 's', 'episodic', 0)).toEqual([]);
    const oldest = await findOverflow(store, 's', 'semantic', 14);
    expect(oldest.map(({ id }) => id)).toEqual(
      records
        .toReversed()
        .slice(0, 10)
        .map(({ id }) => id),
    );
  });

  it('takes fewer where they hold many figures', async () => {
    const figures = Array.from({ length: 25 }, (_value, index) => `${index} MB`);
    const store = await filledStore([1, 2, 3, 4].map((at) => withFigures(`f${at}`, at, ...figures)));
    expect(await findOverflow(store, 's', 'semantic', 1)).toHaveLength(2);
  });

  it('goes on past summaries that hold as many figures as they can, until the tier is small again', async () => {
    const records = Array.from({ length: 30 }, (_value, at) =>
      withFigures(`f${at}`, at, ...Array.from({ length: 6 }, (_figure, index) => `${at * 6 + index} MB`)),
    );
    const store = await filledStore(records);
    for (let call = 0; call < 3; call++) {
      const oldest = await findOverflow(store, 's', 'semantic', 3);
      expect(oldest).toHaveLength(10);
      await replaceBySummary(store, 's', { record: interpretSummary(`summary ${call}`, oldest)! }, oldest);
    }
    expect(await findOverflow(store, 's', 'semantic', 3)).toEqual([]);
    const { entries } = await store.list({ scope: 's', limit: 99 });
    const kept = entries.flatMap(({ record }) => (record.tier === 'semantic' ? (record.figures ?? []) : []));
    expect(entries).toHaveLength(3);
    expect(new Set(kept.map(({ text }) => text)).size).toBe(180);
  });

  it('loses no figure, whatever the model writes', async () => {
    const records = [withFigures('a', 1, '1.4 MB', '12 rows'), withFigures('b', 5, '12 rows', '3 s')];
    const store = await filledStore(records);
    const request = summaryRequest(records);
    expect(readSection({ messages: [{ role: 'user', content: request.prompt }] }, 'memories')).toHaveLength(
      2,
    );
    const summary = interpretSummary(' A file was looked at. ', records);
    expect(summary).toMatchObject({
      tier: 'semantic',
      text: 'A file was looked at.',
      provenance: { at: 5 },
      figures: [{ text: '1.4 MB' }, { text: '12 rows' }, { text: '3 s' }],
    });
    await replaceBySummary(store, 's', { record: summary! }, records);
    const { entries } = await store.list({ scope: 's', limit: 9 });
    expect(entries.map(({ record }) => record)).toEqual([summary]);
  });

  it('changes nothing where it fails', async () => {
    const records = [episode('a', 'x', 1), episode('b', 'y', 2)];
    expect(interpretSummary(' \n', records)).toBeNull();
    const store = Object.assign(await filledStore(records), {
      put: () => Promise.reject(new Error('disk full')),
    });
    const record = interpretSummary('both', records)!;
    await expect(replaceBySummary(store, 's', { record }, records)).rejects.toThrow('disk full');
    expect((await store.stats('s')).entries).toBe(2);
  });
});
