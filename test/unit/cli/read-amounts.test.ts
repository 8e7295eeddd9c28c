import { describe, expect, it } from 'vitest';
import { readAge, readBytes, readCount } from '../../../src/cli/read-amounts.ts';

describe('amounts of the command line', () => {
  it.each([
    ['0', 0],
    ['12', 12],
  ])('%s is a count', (text, count) => {
    expect(readCount(text, '--limit')).toBe(count);
  });

  it.each([
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['30d', 2_592_000_000],
    ['1w', 604_800_000],
  ])('%s is an age', (text, ms) => {
    expect(readAge(text, '--older-than')).toBe(ms);
  });

  it.each([
    ['0B', 0],
    ['512b', 512],
    ['1.5 kB', 1500],
    ['20MB', 20_000_000],
    ['2gb', 2_000_000_000],
  ])('%s is a size', (text, bytes) => {
    expect(readBytes(text, '--max-size')).toBe(bytes);
  });

  it('are null where they are not given, and name the option where they are none', () => {
    for (const read of [readCount, readAge, readBytes]) {
      expect(read(undefined, '--x')).toBeNull();
      for (const text of ['', '-1', '1e3', 'x', '3 days', '٣'])
        expect(() => read(text, '--x')).toThrow(`--x ${text}: expected a`);
    }
    expect(() => readBytes('20', '--max-size')).toThrow('kB, MB or GB');
  });
});
