import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/contracts/memory.ts';
import { createEmbedder } from '../../src/memory/embedder.ts';
import { findTransformers } from '../../src/memory/find-transformers.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { recall, type Similarity } from '../../src/memory/recall.ts';
import { cosine } from '../../src/memory/similarity.ts';
import { fact } from '../support/memory-entries.ts';

/** Set by scripts/embedder-successor.mjs: the folder in which the maintained line is installed. */
const successorFolder = process.env['SORTIE_TRANSFORMERS_FROM'];
const searchFrom = successorFolder === undefined ? [] : [successorFolder];
const line = successorFolder === undefined ? '@xenova/transformers' : '@huggingface/transformers';

interface Reference {
  readonly sentences: readonly string[];
  readonly cosine: readonly (readonly number[])[];
}

interface Pair {
  readonly kind: 'meaning' | 'names';
  readonly memory: string;
  readonly query: string;
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
}

describe(`the embedder with ${line}`, () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await createEmbedder({ searchFrom, loadTimeoutMs: 60_000 });
  });
  afterAll(() => embedder.close());

  it('runs on that line', () => {
    expect(findTransformers(searchFrom).name).toBe(line);
  });

  it('gives the cosines of the reference within 0.05', async () => {
    const reference = readJson('../../models/all-MiniLM-L6-v2/reference-cosines.json') as Reference;
    const vectors: Float32Array[] = [];
    for (const sentence of reference.sentences) vectors.push((await embedder.embed(sentence)).vector);
    for (const [row, a] of vectors.entries()) {
      for (const [column, b] of vectors.entries()) {
        const difference = cosine(a, b) - reference.cosine[row]![column]!;
        expect(Math.abs(difference), `sentences ${row} and ${column}`).toBeLessThan(0.05);
      }
    }
  });

  it('gives vectors of unit length for any text, the same for the same text', async () => {
    expect([embedder.model, embedder.dimensions]).toEqual(['all-MiniLM-L6-v2@afdb6f1a', 384]);
    for (const text of ['', ' ', 'a', '\u{1f5fc}\ud800', '東京の人口', 'word '.repeat(5000)]) {
      const { vector, model } = await embedder.embed(text);
      expect(model).toBe(embedder.model);
      expect(vector).toHaveLength(384);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
      expect((await embedder.embed(text)).vector).toEqual(vector);
    }
  });

  it('takes many calls at once, and answers each with its own vector', async () => {
    const texts = ['one', 'two', 'three', 'four'];
    const apart: Float32Array[] = [];
    for (const text of texts) apart.push((await embedder.embed(text)).vector);
    const together = await Promise.all(texts.map((text) => embedder.embed(text)));
    expect(together.map(({ vector }) => vector)).toEqual(apart);
  });

  it(
    'finds paraphrases that share no word, and with words counted in, more',
    { timeout: 120_000 },
    async () => {
      const pairs = readJson('../fixtures/memory/paraphrases.json') as Pair[];
      expect(pairs.length).toBeGreaterThanOrEqual(200);
      const store = new InMemoryStore();
      for (const [place, { memory }] of pairs.entries()) {
        const record = fact(String(place), memory, place);
        await store.put('s', [{ record, embedding: await embedder.embed(memory) }]);
      }
      const hits = { vectors: 0, words: 0, fusion: 0 };
      for (const [place, { query }] of pairs.entries()) {
        const embedding = await embedder.embed(query);
        const known: Embedder = {
          model: embedder.model,
          dimensions: embedder.dimensions,
          embed: () => Promise.resolve(embedding),
          close: () => Promise.resolve(),
        };
        for (const similarity of Object.keys(hits) as Similarity[]) {
          const { semantic } = await recall(query, {
            store,
            scope: 's',
            embedder: known,
            similarity,
            limit: 3,
          });
          if (semantic.some(({ record }) => record.id === String(place)))
            hits[similarity] += 1 / pairs.length;
        }
      }
      expect(hits.vectors).toBeGreaterThan(0.9);
      expect(hits.vectors).toBeGreaterThan(hits.words);
      expect(hits.fusion).toBeGreaterThanOrEqual(hits.vectors);
    },
  );
});
