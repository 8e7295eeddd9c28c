// How often the memory that a question is about is among the first three, by meaning, by words and by both.
import { readFileSync } from 'node:fs';
import { readInput, writeOutput } from '../child.mjs';
import { loadMemory } from '../adapters/memory.mjs';

/**
 * @typedef {{ file: string }} RetrievalInput the set of pairs
 * @typedef {'vectors' | 'words' | 'fusion'} Similarity
 * @typedef {{ pairs: number, embedMs: number, hitAt3: Record<Similarity, number> }} RetrievalOutput
 */

const SCOPE = 'bench';

/** @type {RetrievalInput} */
const { file } = readInput();
/** @type {{ memory: string, query: string }[]} */
const pairs = JSON.parse(readFileSync(file, 'utf8'));
const { createEmbedder, InMemoryStore, recall } = await loadMemory();
const embedder = await createEmbedder();
const store = new InMemoryStore();

await embedder.embed('The first one loads the model.');
const started = performance.now();
for (const [place, { memory }] of pairs.entries()) {
  const record = { tier: 'semantic', id: String(place), text: memory, provenance: { at: place } };
  await store.put(SCOPE, [{ record, embedding: await embedder.embed(memory) }]);
}
const embedMs = (performance.now() - started) / pairs.length;

/** @type {Record<Similarity, number>} */
const hitAt3 = { vectors: 0, words: 0, fusion: 0 };
for (const [place, { query }] of pairs.entries()) {
  const embedding = await embedder.embed(query);
  for (const similarity of /** @type {Similarity[]} */ (Object.keys(hitAt3))) {
    const { semantic } = await recall(query, {
      ...{ store, scope: SCOPE, similarity, limit: 3 },
      embedder: { ...embedder, embed: async () => embedding },
    });
    const isHit = semantic.some((/** @type {any} */ { record }) => record.id === String(place));
    hitAt3[similarity] += isHit ? 1 / pairs.length : 0;
  }
}
await embedder.close();
/** @type {RetrievalOutput} */
const output = { pairs: pairs.length, embedMs, hitAt3 };
writeOutput(output);
