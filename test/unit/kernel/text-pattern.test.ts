import { describe, expect, it } from 'vitest';
import { isLatin1, latin1Source, textPattern } from '../../../src/kernel/text-pattern.ts';

const LATIN1 = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));
const PROPERTIES = [
  ...['L', 'Lu', 'Lo', 'M', 'N', 'Nd'],
  ...['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((name) => `sc=${name}`),
];

describe('an expression for texts of Latin-1', () => {
  it.each(PROPERTIES)(
    'holds the characters of %s, in a class, outside of one and in its complement',
    (name) => {
      for (const write of [`\\p{${name}}`, `[_\\p{${name}}]`, `[^_\\p{${name}}]`, `[^\\p{${name}}]`]) {
        const unicode = new RegExp(`^${write}$`, 'u');
        const latin1 = new RegExp(`^${latin1Source(write)}$`, 'u');
        const matched = (pattern: RegExp): string[] => LATIN1.filter((character) => pattern.test(character));
        expect(matched(latin1)).toEqual(matched(unicode));
      }
    },
  );

  it('tells a class from a bracket that is escaped', () => {
    expect(latin1Source(String.raw`\[\p{Nd}[\]\p{Nd}]\p{M}`)).toBe(String.raw`\[[0-9][\]0-9][]`);
  });

  it('is not made where a property is not known', () => {
    expect(() => latin1Source(String.raw`[\p{Lm}]`)).toThrow(String.raw`\p{Lm}`);
    expect(() => latin1Source(String.raw`\P{L}`)).toThrow(RangeError);
  });

  it('is taken for a text without other characters, and each of both is made once', () => {
    const letters = textPattern(String.raw`\p{L}+`, 'u');
    expect(letters('Île')).toBe(letters('de'));
    expect(letters('Île').exec('Île')?.[0]).toBe('Île');
    expect(letters('Łódź')).not.toBe(letters('Ile'));
    expect(letters('Łódź').exec('Łódź')?.[0]).toBe('Łódź');
    expect([isLatin1('\u00ff'), isLatin1('\u0100'), isLatin1('a😀')]).toEqual([true, false, false]);
  });
});
