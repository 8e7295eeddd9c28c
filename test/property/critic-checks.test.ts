import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findUngrounded } from '../../src/critic/grounded.ts';
import { interpretJudge } from '../../src/critic/judge.ts';
import { missingWords } from '../../src/critic/missing-words.ts';
import type { Json } from '../../src/kernel/json.ts';

function groupDigits(digits: string, separator: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, separator);
}

function groupIndian(digits: string): string {
  return digits.length <= 3
    ? digits
    : `${digits.slice(0, -3).replace(/\B(?=(\d\d)+$)/g, ',')},${digits.slice(-3)}`;
}

/** Notations of a whole number; each states it exactly. */
const NOTATIONS: Readonly<Record<string, (digits: string) => string>> = {
  plain: (digits) => digits,
  commas: (digits) => groupDigits(digits, ','),
  dots: (digits) => groupDigits(digits, '.'),
  spaces: (digits) => groupDigits(digits, ' '),
  narrowSpaces: (digits) => groupDigits(digits, '\u202f'),
  apostrophes: (digits) => groupDigits(digits, '’'),
  underscores: (digits) => groupDigits(digits, '_'),
  indian: groupIndian,
  millions: (digits) => `${Number(digits) / 1_000_000} million`,
  commaMillions: (digits) => `${String(Number(digits) / 1_000_000).replace('.', ',')} Mio.`,
  letter: (digits) => `${Number(digits) / 1_000_000}M`,
  exponent: (digits) => Number(digits).toExponential(),
  power: (digits) =>
    Number(digits)
      .toExponential()
      .replace(/e\+?(\d+)$/, ' × 10^$1'),
  decimals: (digits) => `${groupDigits(digits, ',')}.00`,
  wide: (digits) => digits.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  arabic: (digits) => digits.replace(/\d/g, (digit) => String.fromCodePoint(0x0660 + Number(digit))),
};

const notation = fc.constantFrom(...Object.keys(NOTATIONS));
const population = fc.integer({ min: 1000, max: 99_999_999 });
const frame = fc.constantFrom(
  (number: string) => `Tokyo has ${number} people.`,
  (number: string) => `| Tokyo | ${number} |`,
  (number: string) => `- Tokyo: **${number}**`,
  (number: string) => `1. Tokyo (${number})`,
  (number: string) => `人口は${number}です`,
);

function isGrounded(report: string, value: Json): boolean {
  const sources = { goal: '', inputs: {}, results: [{ node: 'n', tool: 't', value }] };
  return findUngrounded(report, sources, 0).ungrounded.length === 0;
}

function write(value: number, name: string): string {
  return NOTATIONS[name]?.(String(value)) ?? '';
}

describe('grounded', () => {
  it('finds a number in any notation, stated in any notation', () => {
    fc.assert(
      fc.property(population, notation, notation, frame, (value, stated, given, framed) => {
        const report = framed(write(value, stated));
        expect(isGrounded(report, { value })).toBe(true);
        expect(isGrounded(report, write(value, given))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('finds no number of which one digit was changed', () => {
    fc.assert(
      fc.property(
        population,
        notation,
        notation,
        frame,
        fc.nat(7),
        fc.integer({ min: 1, max: 9 }),
        (...drawn) => {
          const [value, stated, given, framed, place, step] = drawn;
          const digits = Array.from(String(value));
          const index = place % digits.length;
          digits[index] = String((Number(digits[index]) + step) % 10);
          const changed = Number(digits.join(''));
          // A leading zero makes another, shorter number, which is none of these notations.
          fc.pre(changed >= 1000);
          const report = framed(write(changed, stated));
          expect(isGrounded(report, { value })).toBe(false);
          expect(isGrounded(report, write(value, given))).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never throws, and grounds every text in itself', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ unit: 'binary' }),
        (report, other) => {
          expect(isGrounded(report, { text: report })).toBe(true);
          isGrounded(other, report);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('includes', () => {
  const letters = fc.stringMatching(/^[a-zà-öа-яéñ]{1,6}$/);
  const separators = fc.constantFrom(' ', '\n', ', ', '. ', ' (', '/', '-', '"', '**', '\u00a0');

  it('never matches inside a longer word, and always finds a word', () => {
    fc.assert(
      fc.property(letters, letters, letters, separators, (word, before, after, separator) => {
        for (const longer of [
          before + word,
          word + after,
          before + word + after,
          `${before}_${word}`,
          word + '9',
        ]) {
          const text = ['x1', longer, 'x2'].join(separator);
          expect(missingWords(text, [word])).toEqual([word]);
          expect(missingWords([text, word.toUpperCase()].join(separator), [word])).toEqual([]);
        }
      }),
    );
  });
});

describe('interpretJudge', () => {
  const scores = fc.oneof(fc.double(), fc.constantFrom('1', null, true, [1]), fc.double({ min: 0, max: 1 }));
  const answers = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ score: scores, issues: fc.array(fc.string()) }, { requiredKeys: [] })
      .map((answer) => JSON.stringify(answer)),
  );

  it('never throws, and passes only with a score of at least the pass score', () => {
    fc.assert(
      fc.property(
        answers,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.string(),
        (answer, passScore, prose) => {
          const { outcome, score } = interpretJudge(answer, passScore);
          if (outcome === 'pass') expect(score).toBeGreaterThanOrEqual(passScore);
          if (outcome === 'fail') expect(score).toBeLessThan(passScore);
          if (outcome === 'indeterminate') expect(score).toBeUndefined();
          interpretJudge(prose + answer, passScore);
        },
      ),
      { numRuns: 500 },
    );
  });
});
