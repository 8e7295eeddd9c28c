import type { MemoryHit, MemoryTier } from '../contracts/memory.ts';
import { recall, type Similarity } from '../memory/recall.ts';
import type { ChosenMemory } from './memory-admin.ts';

/** What was found in a scope, the most similar first, and how it was compared. */
export interface FoundMemories {
  readonly hits: readonly MemoryHit[];
  /** How they were compared: by words where no vector of the text could be had. */
  readonly similarity: Similarity;
  /** The model of the vectors, where they were used. */
  readonly model?: string;
  /** How many memories there are to be found. */
  readonly searched: number;
  readonly warnings: readonly string[];
}

/** The memories of a scope that are most like a text, by the search that runs make. Throws what the store throws. */
export async function searchMemories(
  { store, scope, embedder, memory }: Pick<ChosenMemory, 'store' | 'scope' | 'embedder' | 'memory'>,
  text: string,
  options: { readonly limit: number; readonly tier?: MemoryTier; readonly similarity?: Similarity },
): Promise<FoundMemories> {
  const { limit, tier } = options;
  // A store that cannot be read is an error here, and a warning only to a run.
  const stats = await store.stats(scope);
  const similarity = options.similarity ?? memory.similarity ?? 'fusion';
  const { episodic, semantic, ...how } = await recall(text, { store, scope, embedder, similarity, limit });
  const hits = [...(tier === 'semantic' ? [] : episodic), ...(tier === 'episodic' ? [] : semantic)]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
  return { hits, ...how, searched: tier === undefined ? stats.entries : stats.tiers[tier].entries };
}
