import type { Embedder, MemoryEntry, MemoryStore } from '../contracts/memory.ts';
import { listPages } from './list-pages.ts';

const PAGE = 100;

/** What to embed anew. */
export interface ReindexOptions {
  readonly store: MemoryStore;
  readonly scope: string;
  readonly embedder: Embedder;
  /** Those too that have a vector of this model already. */
  readonly all?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (doneEntries: number, allEntries: number) => void;
}

/**
 * Gives every memory of a scope a vector of the embedder's model, and says how many got one. Throws what the embedder
 * throws; what was done by then is kept, and the next call goes on with the rest.
 */
export async function reindex(options: ReindexOptions): Promise<number> {
  const { store, scope, embedder, signal } = options;
  const { entries: total } = await store.stats(scope);
  let seen = 0;
  let embedded = 0;
  for await (const page of listPages(store, { scope }, PAGE)) {
    const renewed: MemoryEntry[] = [];
    try {
      for (const { record, embedding } of page) {
        signal?.throwIfAborted();
        if (options.all === true || embedding?.model !== embedder.model) {
          renewed.push({ record, embedding: await embedder.embed(record.text) });
        }
        options.onProgress?.(++seen, total);
      }
    } finally {
      const kept = await stillThere(store, scope, renewed);
      await store.put(scope, kept);
      embedded += kept.length;
    }
  }
  return embedded;
}

/** What was forgotten while it was embedded stays forgotten. */
async function stillThere(
  store: MemoryStore,
  scope: string,
  entries: readonly MemoryEntry[],
): Promise<readonly MemoryEntry[]> {
  if (entries.length === 0) return entries;
  const ids = entries.map(({ record }) => record.id);
  const known = await store.list({ scope, ids, limit: ids.length });
  const texts = new Map(known.entries.map(({ record }) => [record.id, record.text]));
  return entries.filter(({ record }) => texts.get(record.id) === record.text);
}
