import { describe, expect, it } from 'vitest';
import { formatRunId } from '../../../src/kernel/ids.ts';
import { checkRunId, isRunId, resolveRunId } from '../../../src/flight/run-ids.ts';

describe('run ids', () => {
  it('are plain names', () => {
    for (const id of ['a', 'A-1_b.c', 'x'.repeat(128), formatRunId(1.7e12, 0.5)])
      expect(isRunId(id)).toBe(true);
    for (const id of [
      '',
      '.',
      '..',
      '../x',
      'a/b',
      'a\\b',
      '.hidden',
      'a.',
      ' a',
      'a\0',
      'ä',
      'last',
      'x'.repeat(129),
    ]) {
      expect(isRunId(id), JSON.stringify(id)).toBe(false);
      expect(() => {
        checkRunId(id);
      }).toThrow(/cannot be a run id: it (?:stands for the newest run|may hold at most 128 letters)/);
    }
  });

  it('are found by themselves, a unique prefix or as the last', () => {
    const ids = ['ab2', 'ab', 'aa'];
    expect(resolveRunId('ab', ids)).toBe('ab');
    expect(resolveRunId('aa', ids)).toBe('aa');
    expect(resolveRunId('ab2', ids)).toBe('ab2');
    expect(resolveRunId('last', ids)).toBe('ab2');
  });

  it('that are ambiguous or unknown say so', () => {
    expect(() => resolveRunId('a', ['ab', 'aa'])).toThrow('"a" could be any of 2 runs: ab, aa');
    expect(() => resolveRunId('', ['ab'])).toThrow('there is no run ""');
    expect(() => resolveRunId('x', ['ab'])).toThrow('there is no run "x"');
    expect(() => resolveRunId('last', [])).toThrow('there is no run yet');
    const many = Array.from({ length: 12 }, (_, index) => `a${index}`);
    expect(() => resolveRunId('a', many)).toThrow(/a9, and 2 more$/);
  });
});
