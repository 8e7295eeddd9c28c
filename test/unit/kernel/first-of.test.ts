import { expect, it } from 'vitest';
import { describeCatalogue } from '../../../src/cli/progress/catalogue-line.ts';
import { firstOf } from '../../../src/kernel/first-of.ts';

const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `t${index}`);

it('gives ten texts as they are, and of more the first ten and a count', () => {
  expect(firstOf(texts(10))).toEqual(texts(10));
  expect(firstOf(texts(5000))).toEqual([...texts(10), 'and 4990 more like these']);
});

it('keeps the line on a catalogue short, however many tools cannot be called', () => {
  const quarantined = texts(5000).map((tool) => ({ tool, reason: 'bad' }));
  const event = { type: 'catalogue.published', quarantined } as unknown as Parameters<
    typeof describeCatalogue
  >[0];
  expect(describeCatalogue(event)).toMatch(
    /^t0 quarantined: bad; .*t9 quarantined: bad; and 4990 more like these$/,
  );
});
