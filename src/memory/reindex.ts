import type { Embedder, MemoryEntry, MemoryStore } from '../contracts/memory.ts';

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
  for (let after: string | undefined; ;) {
    const page = await store.list({ scope, limit: PAGE, ...(after === undefined ? {} : { after }) });
    const renewed: MemoryEntry[] = [];
    try {
      for (const { record, embedding } of page.entries) {
        signal?.throwIfAborted();
        if (options.all === true || embedding?.model !== embedder.model) {
          renewed.push({ record, embedding: await embedder.embed(record.text) });
        }
        options.onProgress?.(++seen, total);
      }
    } finally {
      await store.put(scope, renewed);
      embedded += renewed.length;
    }
    if (page.next === undefined) return embedded;
    after = page.next;
  }
}
