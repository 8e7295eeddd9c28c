import type { Embedding, MemoryStore } from '../contracts/memory.ts';

/** The vector of a text that a memory had when it was embedded. */
export interface TextVector {
  readonly id: string;
  readonly text: string;
  readonly embedding: Embedding;
}

/** Gives memories their vectors, and says how many got one: what was forgotten or changed meanwhile stays as it is. */
export async function putVectors(
  store: MemoryStore,
  scope: string,
  vectors: readonly TextVector[],
): Promise<number> {
  if (vectors.length === 0) return 0;
  const byId = new Map(vectors.map((vector) => [vector.id, vector]));
  const { entries } = await store.list({ scope, ids: [...byId.keys()], limit: byId.size });
  const renewed = entries.flatMap(({ record }) => {
    const vector = byId.get(record.id);
    return vector?.text === record.text ? [{ record, embedding: vector.embedding }] : [];
  });
  await store.put(scope, renewed);
  return renewed.length;
}
