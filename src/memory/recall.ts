import type { Embedder, Embedding, MemoryHit, MemoryStore, MemoryTier } from '../contracts/memory.ts';
import type { ContextHits } from './context.ts';
import { fuseHits, keepAlike } from './fuse-hits.ts';

/** How deep each ranking is looked into before they are fused. */
const DEPTH = 12;

/** How similarity is measured: by vectors, by shared words, or by both. */
export type Similarity = 'vectors' | 'words' | 'fusion';

/** Where and how to recall. */
export interface RecallOptions {
  readonly store: MemoryStore;
  readonly scope: string;
  /** Null where no model is wanted; then words decide. */
  readonly embedder: Embedder | null;
  readonly similarity?: Similarity;
  /** Hits of each tier; 6 by default, so that duplicates can be left out of 3. */
  readonly limit?: number;
}

/** What came to mind, how it was found, and what went wrong meanwhile. */
export interface Recollection extends ContextHits {
  readonly similarity: Similarity;
  /** The model of the vectors, where they were used. */
  readonly model?: string;
  readonly warnings: readonly string[];
}

/**
 * The memories most like a text, from both tiers. Never throws: where no vector of the text can be had this call goes by
 * its words, and where the store fails nothing is found; the warnings say so, and the next call tries everything again.
 */
export async function recall(text: string, options: RecallOptions): Promise<Recollection> {
  const warnings: string[] = [];
  const embedding = (await isEmpty(options)) ? undefined : await embedQuery(text, options, warnings);
  const similarity = embedding === undefined ? 'words' : (options.similarity ?? 'fusion');
  const search = async (tier: MemoryTier): Promise<readonly MemoryHit[]> => {
    try {
      return await searchTier(text, tier, embedding, options, similarity);
    } catch (error) {
      warnings.push(`nothing ${tier} was recalled: ${describe(error)}`);
      return [];
    }
  };
  const episodic = await search('episodic');
  const semantic = await search('semantic');
  const model = embedding === undefined ? {} : { model: embedding.model };
  return { episodic, semantic, similarity, ...model, warnings };
}

/** Where nothing is kept yet no model need be loaded; a store that fails says so at the search. */
async function isEmpty({ store, scope }: RecallOptions): Promise<boolean> {
  const page = await store.list({ scope, limit: 1 }).catch(() => undefined);
  return page?.entries.length === 0;
}

async function embedQuery(
  text: string,
  { embedder, similarity }: RecallOptions,
  warnings: string[],
): Promise<Embedding | undefined> {
  if (embedder === null || similarity === 'words') return undefined;
  try {
    return await embedder.embed(text);
  } catch (error) {
    warnings.push(`memories were compared by their words, not by their meaning: ${describe(error)}`);
    return undefined;
  }
}

async function searchTier(
  text: string,
  tier: MemoryTier,
  embedding: Embedding | undefined,
  { store, scope, limit = 6 }: RecallOptions,
  similarity: Similarity,
): Promise<readonly MemoryHit[]> {
  if (embedding === undefined || similarity === 'words') {
    return store.searchByWords({ scope, tier, limit, text });
  }
  const depth = similarity === 'fusion' ? Math.max(DEPTH, limit) : limit;
  const byVector = await store.searchByVector({ scope, tier, limit: depth, embedding });
  if (similarity === 'vectors') return keepAlike(byVector);
  const byWords = await store.searchByWords({ scope, tier, limit: depth, text });
  return fuseHits({ model: embedding.model, depth, byVector, byWords }).slice(0, limit);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
