import fc from 'fast-check';
import { expect, it } from 'vitest';
import { keyFigures } from '../../src/memory/key-figures.ts';
import { jaccard, wordsOf } from '../../src/memory/similarity.ts';
import { WordIndex } from '../../src/memory/word-index.ts';

it('a word index finds what comparing every row finds, through additions and removals', () => {
  const words = fc.uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 8 });
  const step = fc.oneof(
    words.map((list) => ({ type: 'add', list }) as const),
    fc.nat(30).map((row) => ({ type: 'remove', row }) as const),
    words.map((list) => ({ type: 'search', list }) as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 10 }), (steps, limit) => {
      const index = new WordIndex();
      const rows = new Map<number, Set<number>>();
      let last = 0;
      for (const one of steps) {
        if (one.type === 'add') {
          index.add(++last, Uint32Array.from(one.list));
          rows.set(last, new Set(one.list));
        } else if (one.type === 'remove') {
          index.remove(one.row);
          rows.delete(one.row);
        } else {
          const expected = [...rows]
            .map(([row, held]) => ({ row, score: jaccard(held, new Set(one.list)) }))
            .filter(({ score }) => score > 0)
            .toSorted((a, b) => b.score - a.score || b.row - a.row)
            .slice(0, limit);
          expect(index.search(Uint32Array.from(one.list), limit)).toEqual(expected);
        }
      }
    }),
    { numRuns: 200 },
  );
});

it('words of any text are words, and the same again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const words = wordsOf(text);
      for (const word of words) expect(word).toMatch(/\S/);
      expect(wordsOf(text)).toEqual(words);
      expect(jaccard(words, words)).toBe(words.size === 0 ? 0 : 1);
    }),
  );
});

it('a figure of any text stands in it', () => {
  const part = fc.oneof(
    fc.string({ maxLength: 10 }),
    fc.constantFrom('1.4 MB', ' ', 'v1.2.3', 'a/b.ts:7', '$5', '2026-11-30', '9df6451', 'https://a.b/c'),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const text = parts.join('');
      for (const figure of keyFigures(text)) {
        expect(figure.text).not.toBe('');
        expect(text).toContain(figure.text);
      }
    }),
  );
});
