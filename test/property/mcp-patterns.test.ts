import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePattern } from '../../src/tools/mcp/parse-pattern.ts';
import { isRiskyPattern } from '../../src/tools/mcp/risky-pattern.ts';
import { matchInSteps } from '../support/pattern-steps.ts';

const atom = fc.constantFrom(
  ...['a', 'a', 'b', '-', '.', '[ab]', '[^a]', '[^-\\s]', '\\w', '\\d', '[\\w-]', 'aa'],
);
const mark = fc.constantFrom(...['*', '+', '?', '{2}', '{0,3}', '{1,70}', '{2,}', '*?', '+?']);

const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc
    .tuple(
      fc.constantFrom('^', '^', '^', ''),
      fc.array(tie('part'), { minLength: 1, maxLength: 7 }),
      fc.constantFrom('$', '$', 'x', ''),
    )
    .map(([start, parts, end]) => `${start}${parts.join('')}${end}`),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    { arbitrary: fc.tuple(atom, mark).map((both) => both.join('')), weight: 4 },
    fc.constantFrom('\\b', '$', '(?=.*b)', '(?!a*-)', '(?:)', '(a|ab|b)', '(-|)'),
    fc.tuple(tie('part'), tie('part')).map((both) => `(${both.join('|')})`),
    fc
      .tuple(tie('part'), tie('part'), fc.constantFrom('', '?', '*', '{2}'))
      .map(([one, two, end]) => `(?:${one}${two})${end}`),
  ),
}));

/** Texts on which repeats take as much as they can, and then do not find what they need. */
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.stringMatching(/^[ab-]{0,3}$/),
      fc.stringMatching(/^[ab1-]{1,3}$/),
      fc.integer({ min: 20, max: maxLength }),
      fc.constantFrom('', '\n', '!', 'x', 'ab'),
    )
    .map(([start, unit, length, end]) => start + unit.repeat(length / unit.length) + end);

describe('isRiskyPattern', () => {
  it('lets only such patterns pass as take steps in proportion to the text, whatever the text', () => {
    let passed = 0;
    fc.assert(
      fc.property(pattern, fc.array(text(400), { minLength: 4, maxLength: 4 }), (source, texts) => {
        if (isRiskyPattern(source)) return;
        passed++;
        const part = parsePattern(source);
        if (part === null) throw new Error('a pattern that is not understood passed');
        for (const each of texts) {
          const { found, steps } = matchInSteps(part, each, 10_000 * each.length);
          expect([source, each, found]).toEqual([source, each, new RegExp(source).test(each)]);
          const half = matchInSteps(part, each.slice(0, each.length / 2), 10_000 * each.length).steps;
          expect(steps, `${source} on ${each}`).toBeLessThan(2500 * each.length);
          // What grows with the square of the text takes four times as long on twice the text.
          if (half > 20_000) expect(steps / half, `${source} on ${each}`).toBeLessThan(3.5);
        }
      }),
      { numRuns: 4000 },
    );
    expect(passed).toBeGreaterThan(400);
  });

  it('reads patterns as the engine does', () => {
    fc.assert(
      fc.property(pattern, fc.stringMatching(/^[ab1 \n-]{0,8}$/), (source, short) => {
        const part = parsePattern(source);
        if (part === null) throw new Error(`${source} is not understood`);
        expect([source, short, matchInSteps(part, short, 1e6).found]).toEqual([
          source,
          short,
          new RegExp(source).test(short),
        ]);
      }),
      { numRuns: 4000 },
    );
  });

  it('lets only such patterns pass as the engine answers at once, on 60 to 5000 characters', () => {
    fc.assert(
      fc.property(pattern, text(5000), (source, long) => {
        if (isRiskyPattern(source)) return;
        const begun = performance.now();
        new RegExp(source).test(long);
        expect(performance.now() - begun, source).toBeLessThan(1000);
      }),
      { numRuns: 3000 },
    );
  });
});
