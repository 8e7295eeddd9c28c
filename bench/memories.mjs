// What the memory benchmarks search: seeded, so that every process sees the same.
import { createRandom } from './random.mjs';

export const DIMENSIONS = 384;

const VOCABULARY = 20_000;
const WORDS_PER_TEXT = 15;

/**
 * Vectors of unit length without any structure: the hardest case for whatever approximates.
 * @param {number} count
 * @param {number} seed
 * @returns {Float32Array} one after the other
 */
export function createVectors(count, seed) {
  const random = createRandom(seed);
  const vectors = new Float32Array(count * DIMENSIONS);
  for (let first = 0; first < vectors.length; first += DIMENSIONS) {
    let sum = 0;
    for (let at = first; at < first + DIMENSIONS; at += 1) {
      const value = random() + random() + random() - 1.5;
      vectors[at] = value;
      sum += value * value;
    }
    const length = Math.sqrt(sum);
    for (let at = first; at < first + DIMENSIONS; at += 1) vectors[at] = (vectors[at] ?? 0) / length;
  }
  return vectors;
}

/**
 * One vector of several, as an array of its own.
 * @param {Float32Array} vectors
 * @param {number} index
 */
export function vectorAt(vectors, index) {
  return vectors.slice(index * DIMENSIONS, (index + 1) * DIMENSIONS);
}

/**
 * Texts whose words are as frequent as in a language: the second half as often as the first, and so on (Zipf).
 * @param {number} count
 * @param {number} seed
 */
export function createTexts(count, seed) {
  const random = createRandom(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: WORDS_PER_TEXT }, () => `word${Math.floor(VOCABULARY ** random())}`).join(' '),
  );
}

/**
 * The best of all vectors for a query, by looking at each.
 * @param {Float32Array} vectors
 * @param {Float32Array} query
 * @param {number} limit
 * @returns {number[]} their places, best first
 */
export function searchFlat(vectors, query, limit) {
  /** @type {{ place: number, score: number }[]} */
  const best = [];
  let least = Number.NEGATIVE_INFINITY;
  const count = vectors.length / DIMENSIONS;
  for (let place = 0, at = 0; place < count; place += 1) {
    let score = 0;
    for (let index = 0; index < DIMENSIONS; index += 1) score += (vectors[at++] ?? 0) * (query[index] ?? 0);
    if (score <= least) continue;
    let rank = best.length;
    while (rank > 0 && (best[rank - 1]?.score ?? 0) < score) rank -= 1;
    best.splice(rank, 0, { place, score });
    if (best.length > limit) best.pop();
    if (best.length === limit) least = best.at(-1)?.score ?? least;
  }
  return best.map(({ place }) => place);
}
