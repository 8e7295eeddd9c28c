import { expect, it } from 'vitest';
import { expandBraces, matchesGlob } from '../../../src/kernel/match-glob.ts';

it.each([
  ['*.md', 'a.md', true],
  ['*.md', 'docs/a.md', true],
  ['*.md', 'a.mdx', false],
  ['docs/*.md', 'docs/a.md', true],
  ['docs/*.md', 'docs/deep/a.md', false],
  ['docs/**/*.md', 'docs/a.md', true],
  ['docs/**/*.md', 'docs/deep/er/a.md', true],
  ['**/a.md', 'a.md', true],
  ['docs/**', 'docs/a/b', true],
  ['docs/**', 'other/a', false],
  ['?.md', 'a.md', true],
  ['?.md', 'ab.md', false],
  ['?', '😀', true],
  ['*', '.hidden', true],
  ['*.{ts,js}', 'a.js', true],
  ['*.{ts,js}', 'a.md', false],
  ['{a,b}/{c,d}.md', 'b/c.md', true],
  ['a.b', 'aXb', false],
  ['[a]', 'a', false],
  ['*a*b*c*', 'xaybzc', true],
  ['*a*b*c*', 'xaybz', false],
  ['{unclosed', '{unclosed', true],
  ['{a,{b,c}}.pem', 'a.pem', true],
  ['{a,{b,c}}.pem', 'c.pem', true],
  ['{a,x{b,c}y}', 'xcy', true],
  ['{a,x{b,c}y}', 'c', false],
  ['{open{a,b}', '{openb', true],
  ['a}{b,c}', 'a}c', true],
  ['', 'a', false],
])('%j on %j: %s', (pattern, path, expected) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

it('a pattern of stars takes no longer than its length', () => {
  expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false);
  expect(matchesGlob(`${'**/a/'.repeat(50)}b`, 'a/'.repeat(1000))).toBe(false);
  expect(matchesGlob('{a,b}'.repeat(100), 'a')).toBe(false);
  expect(matchesGlob(`${'{'.repeat(50)}a${'}'.repeat(50)}`, 'a')).toBe(true);
  expect(matchesGlob(`${'{'.repeat(5000)}a${'}'.repeat(5000)}`, 'a')).toBe(false);
  expect(matchesGlob('{'.repeat(50_000), 'a')).toBe(false);
});

it('braces within braces count as the choices that they are', () => {
  const pairs = Array.from({ length: 20 }, (_, index) => `{a${index},b${index}}`);
  expect(expandBraces(`{${pairs.join(',')}}`)).toHaveLength(40);
});
