import { OrchestratorError } from '../kernel/errors.ts';
import { reindex, type ReindexOptions } from '../memory/reindex.ts';
import type { ChosenMemory } from './memory-admin.ts';

/**
 * Gives the memories of a scope a vector of the model in use. Throws what the embedder throws, `usage` where the task
 * compares by words, and `aborted`; what was embedded by then is kept.
 */
export async function reindexMemory(
  { store, scope, embedder }: Pick<ChosenMemory, 'store' | 'scope' | 'embedder'>,
  options: Pick<ReindexOptions, 'all' | 'signal' | 'onProgress'>,
): Promise<{ readonly embedded: number; readonly entries: number; readonly model: string }> {
  if (embedder === null) {
    throw new OrchestratorError('usage', 'the task compares memories by their words: no vectors are used', {
      hint: 'Set memory.similarity to fusion.',
    });
  }
  try {
    const embedded = await reindex({ store, scope, embedder, ...options });
    return { embedded, entries: (await store.stats(scope)).entries, model: embedder.model };
  } catch (error) {
    if (options.signal?.aborted !== true) throw error;
    throw new OrchestratorError('aborted', 'the memories were not all embedded', {
      hint: '`orchestrate memory reindex` goes on where it stopped.',
      cause: error,
    });
  }
}
