import { expect, it } from 'vitest';
import { findNumbers } from '../../../src/critic/find-numbers.ts';

it('reads a long text once, wherever its first letter beyond Latin-1 stands', () => {
  const items = Array.from({ length: 32_000 }, (_, index) => `item ${index} km`);
  expect(findNumbers(`${items.join(' ')} →`)).toHaveLength(items.length);
});
