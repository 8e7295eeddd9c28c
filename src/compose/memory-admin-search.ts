import type { MemoryHit, MemoryStats, MemoryTier } from '../contracts/memory.ts';
import { OrchestratorError } from '../kernel/errors.ts';
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
  /** How many memories of the scope, of either tier, have no vector of the model: their words alone are compared. */
  readonly withoutVector: number;
  readonly warnings: readonly string[];
}

/** The memories of a scope that are most like a text, by the search that runs make. Throws what the store throws, and `usage` for an empty text. */
export async function searchMemories(
  { store, scope, embedder, memory }: Pick<ChosenMemory, 'store' | 'scope' | 'embedder' | 'memory'>,
  text: string,
  options: { readonly limit: number; readonly tier?: MemoryTier; readonly similarity?: Similarity },
): Promise<FoundMemories> {
  if (text.trim() === '') {
    throw new OrchestratorError('usage', 'there is nothing to look for: the text is empty');
  }
  const { limit, tier } = options;
  // A store that cannot be read is an error here, and a warning only to a run.
  const stats = await store.stats(scope);
  const similarity = options.similarity ?? memory.similarity ?? 'fusion';
  const { episodic, semantic, ...how } = await recall(text, { store, scope, embedder, similarity, limit });
  const hits = [...(tier === 'semantic' ? [] : episodic), ...(tier === 'episodic' ? [] : semantic)]
    .toSorted((a, b) => b.score - a.score)
    .slice(0, limit);
  const searched = tier === undefined ? stats.entries : stats.tiers[tier].entries;
  return { hits, ...how, searched, withoutVector: countWithout(how.model, stats) };
}

function countWithout(model: string | undefined, { models, entries }: MemoryStats): number {
  if (model === undefined) return 0;
  return entries - models.reduce((sum, one) => sum + (one.model === model ? one.entries : 0), 0);
}
