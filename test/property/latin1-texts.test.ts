import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNumbers } from '../../src/critic/find-numbers.ts';
import { missingWords } from '../../src/critic/missing-words.ts';
import { keyFigures } from '../../src/memory/key-figures.ts';
import { wordsOf } from '../../src/memory/similarity.ts';

/** A line beyond Latin-1 that states nothing, so that every expression is the one with Unicode properties. */
const BEYOND = '\n→';

const part = fc.oneof(
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 6,
  }),
  ...[
    fc.constantFrom(
      '4,957,589',
      '1.234',
      '2024-01-02',
      '12:30',
      'UTC+9',
      '3f9a',
      '1e3',
      '-5',
      '2nd',
      '.5',
      '²',
    ),
    fc.constantFrom(
      ' million',
      ' km',
      '%',
      'kB',
      ' people',
      'é',
      'ª',
      '¼',
      '\u00a0',
      ' ',
      '\n',
      '# 1. Á',
      '_',
    ),
    fc.constantFrom('src/a.ts:12', 'v1.2.3', 'https://a.example/x', '#12', 'May 3, 2024', '10:15 am', '$'),
  ],
);
const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));

describe('what is read in a text of Latin-1', () => {
  it('is what is read there beside other letters', () => {
    fc.assert(
      fc.property(text, (plain) => {
        expect(findNumbers(plain)).toEqual(findNumbers(plain + BEYOND));
        expect(keyFigures(plain)).toEqual(keyFigures(plain + BEYOND));
        expect(wordsOf(plain)).toEqual(wordsOf(plain + BEYOND));
      }),
      { numRuns: 500 },
    );
  });

  it('names the words that it names beside other letters', () => {
    fc.assert(
      fc.property(text, fc.array(part, { maxLength: 4 }), (plain, items) => {
        expect(missingWords(plain, items)).toEqual(missingWords(plain + BEYOND, items));
      }),
      { numRuns: 300 },
    );
  });
});
