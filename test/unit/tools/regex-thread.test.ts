import { expect, it } from 'vitest';
import { RegexThread, type RegexMatches } from '../../../src/tools/regex/regex-thread.ts';

const { signal } = new AbortController();

async function find(pattern: string, text: string, flags = '', max = 100): Promise<RegexMatches> {
  const thread = new RegexThread(pattern, flags);
  try {
    return await thread.findAll(text, max, signal);
  } finally {
    await thread.close();
  }
}

it('finds every match with its groups', async () => {
  expect(await find('(?<key>\\w)=(\\d)?', 'a=1 b=')).toEqual({
    matches: [
      { index: 0, groups: ['a=1', 'a', '1'], named: { key: 'a' } },
      { index: 4, groups: ['b=', 'b', null], named: { key: 'b' } },
    ],
    isCut: false,
  });
});

it('goes on behind an empty match, by whole characters', async () => {
  const { matches } = await find('x?', '😀x');
  expect(matches.map(({ index }) => index)).toEqual([0, 2, 3]);
});

it('says that there was more', async () => {
  expect(await find('a', 'aaa', '', 2)).toMatchObject({ isCut: true });
  expect(await find('a', 'aa', '', 2)).toMatchObject({ isCut: false });
});

it('can be used for text after text', async () => {
  const thread = new RegexThread('a');
  expect((await thread.findAll('a', 10, signal)).matches).toHaveLength(1);
  expect((await thread.findAll('aa', 10, signal)).matches).toHaveLength(2);
  await thread.close();
});

it.each([
  ['nested repetition', '^(a+)+$', `${'a'.repeat(50)}!`],
  ['overlapping choices', '^(a|a)*$', `${'a'.repeat(50)}!`],
  ['repeated group of repetitions', '(x+x+)+y', 'x'.repeat(60)],
  ['back reference', '^(a*)*\\1b', 'a'.repeat(40)],
])('ends a pattern that would never end: %s', async (_kind, pattern, text) => {
  await expect(find(pattern, text)).rejects.toMatchObject({ code: 'tool_misuse' });
});

it('refuses what is no pattern, and what is too long', () => {
  expect(() => new RegexThread('(')).toThrow('no regular expression');
  expect(() => new RegexThread('a'.repeat(1001))).toThrow('longer than');
});

it('ends when it is aborted', async () => {
  const controller = new AbortController();
  const thread = new RegexThread('^(a+)+$');
  const found = thread.findAll(`${'a'.repeat(50)}!`, 1, controller.signal);
  controller.abort(new Error('stopped'));
  await expect(found).rejects.toThrow('stopped');
});
