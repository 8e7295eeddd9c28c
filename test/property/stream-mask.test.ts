import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMasker, createStreamMask } from '../../src/flight/mask.ts';

/** Few letters, so that credentials begin like, overlap with and lie within each other. */
const letters = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', ' ', '.', '['), { minLength, maxLength }).map((chars) => chars.join(''));
const secrets = fc.array(
  fc.oneof(
    letters(6, 14),
    fc.constantFrom('aaaaaaaa', 'aaaaaaaaab', 'Bearer aaaaaaab', '[masked]a', ' aaaaaaaa '),
  ),
  { maxLength: 4 },
);
const cases = secrets.chain((known) =>
  fc.record({
    known: fc.constant(known),
    pieces: fc.array(
      fc.oneof(
        letters(0, 6),
        ...known.flatMap((secret) => [fc.constant(secret), fc.constant(secret.slice(0, 9))]),
      ),
      { maxLength: 12 },
    ),
    cuts: fc.array(fc.nat(150), { maxLength: 40 }),
  }),
);

it('the mask of a text that comes in pieces is the mask of the whole, wherever it is cut', () => {
  fc.assert(
    fc.property(cases, ({ known, pieces, cuts }) => {
      const text = pieces.join('');
      const stream = createStreamMask(() => known);
      let told = '';
      let from = 0;
      for (const to of [...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]) {
        told += stream.add(text.slice(from, to));
        from = to;
      }
      expect(told + stream.end()).toBe(createMasker(known)(text));
    }),
    { numRuns: 1500 },
  );
});

it('what cannot become a credential is told at once', () => {
  const stream = createStreamMask(() => ['secret-key-1']);
  expect(stream.add('a text, then se')).toBe('a text, then ');
  expect(stream.add('veral words and a secret-key')).toBe('several words and a ');
  expect(stream.add('-1!')).toBe('[masked]!');
  expect(stream.end()).toBe('');
});
