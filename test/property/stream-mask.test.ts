import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMasker, CredentialMask, type StreamMask } from '../../src/flight/mask.ts';

/** Few letters, so that credentials begin like, overlap with and lie within each other. */
const letters = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', ' ', '.', '['), { minLength, maxLength }).map((chars) => chars.join(''));
const secrets = fc.array(
  fc.oneof(
    letters(6, 14),
    fc.constantFrom('aaaaaaaa', 'aaaaaaaaab', 'Bearer aaaaaaab', '[masked]a', ' aaaaaaaa '),
    fc.constantFrom('aa"aaaa\\a', 'a\naaaaaaa', 'abababab', 'babababababb', 'bbaaaaaaa'),
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

function streamOf(known: readonly string[]): StreamMask {
  const credentials = new CredentialMask();
  credentials.add(...known);
  return credentials.openStream();
}

it('the mask of a text that comes in pieces is the mask of the whole, wherever it is cut', () => {
  fc.assert(
    fc.property(cases, ({ known, pieces, cuts }) => {
      const text = pieces.join('');
      const stream = streamOf(known);
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

/** Every place of every text is looked at, and what overlaps is one. */
function maskPlainly(forms: readonly string[], text: string): string {
  const found = forms
    .filter((form) => form.length >= 8)
    .flatMap((form) =>
      Array.from({ length: text.length }, (_, start) => ({ start, end: start + form.length })).filter(
        ({ start }) => text.startsWith(form, start),
      ),
    )
    .sort((a, b) => a.start - b.start || b.end - a.end);
  let masked = '';
  let at = 0;
  for (const { start, end } of found) {
    if (start >= at) masked += text.slice(at, start) + '[masked]';
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

it('credentials that overlap are masked as one, and others each', () => {
  const known = fc.array(
    letters(8, 12).filter((secret) => secret.trim() === secret),
    { maxLength: 5 },
  );
  const texts = known.chain((forms) =>
    fc.tuple(
      fc.constant(forms),
      fc.array(fc.oneof(letters(0, 5), ...forms.map((form) => fc.constant(form))), { maxLength: 8 }),
    ),
  );
  fc.assert(
    fc.property(texts, ([forms, pieces]) => {
      const text = pieces.join('');
      expect(createMasker(forms)(text)).toBe(maskPlainly(forms, text));
    }),
    { numRuns: 1500 },
  );
});

it('what cannot become a credential is told at once', () => {
  const stream = streamOf(['secret-key-1']);
  expect(stream.add('a text, then se')).toBe('a text, then ');
  expect(stream.add('veral words and a secret-key')).toBe('several words and a ');
  expect(stream.add('-1!')).toBe('[masked]!');
  expect(stream.end()).toBe('');
});
