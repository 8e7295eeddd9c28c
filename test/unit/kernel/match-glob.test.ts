import { expect, it } from 'vitest';
import { matchesGlob } from '../../../src/kernel/match-glob.ts';

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
  ['', 'a', false],
])('%j on %j: %s', (pattern, path, expected) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});

it('a pattern of stars takes no longer than its length', () => {
  expect(matchesGlob(`${'*a'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false);
  expect(matchesGlob(`${'**/a/'.repeat(50)}b`, 'a/'.repeat(1000))).toBe(false);
  expect(matchesGlob('{a,b}'.repeat(100), 'a')).toBe(false);
});
