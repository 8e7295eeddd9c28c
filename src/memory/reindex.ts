import type { Embedder, MemoryStore } from '../contracts/memory.ts';
import { listPages } from './list-pages.ts';
import { putVectors, type TextVector } from './put-vectors.ts';

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
    const renewed: TextVector[] = [];
    try {
      for (const { record, embedding } of page) {
        signal?.throwIfAborted();
        if (options.all === true || embedding?.model !== embedder.model) {
          const { id, text } = record;
          renewed.push({ id, text, embedding: await embedder.embed(text) });
        }
        options.onProgress?.(++seen, total);
      }
    } finally {
      embedded += await putVectors(store, scope, renewed);
    }
  }
  return embedded;
}
