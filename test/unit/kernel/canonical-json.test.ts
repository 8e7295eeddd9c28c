import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../src/kernel/canonical-json.ts';
import type { Json } from '../../../src/kernel/json.ts';

describe('canonical JSON', () => {
  it('of a text is what JSON.stringify gives, whatever characters it holds', () => {
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit);
      const text = `a${character}b`;
      if (canonicalJson(text) === JSON.stringify(text)) continue;
      expect.fail(`U+${unit.toString(16)}: ${canonicalJson(text)}`);
    }
    for (const text of ['', '😀', 'é'.repeat(63), 'x'.repeat(64), `${'x'.repeat(200)}"`]) {
      expect(canonicalJson(text)).toBe(JSON.stringify(text));
      expect(canonicalJson({ [text]: 1 })).toBe(JSON.stringify({ [text]: 1 }));
    }
  });

  it('is the same whatever the order of keys, and says all of the value', () => {
    const reverse = (value: Json): Json => {
      if (typeof value !== 'object' || value === null) return value;
      if (Array.isArray(value)) return value.map((item) => reverse(item as Json));
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, item]) => [key, reverse(item)]),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const value = JSON.parse(JSON.stringify(given)) as Json;
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(reverse(value))).toBe(text);
      }),
    );
  });
});
