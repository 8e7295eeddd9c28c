import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/kernel/cut-text.ts';

describe('cutText', () => {
  it('leaves a text alone that fits', () => {
    expect(cutText('abc', 3)).toBe('abc');
    expect(cutText('', 0)).toBe('');
  });

  it('says how much it cut, within the limit', () => {
    const cut = cutText('a'.repeat(12_445), 125);
    expect(cut).toBe('a'.repeat(100) + '… [cut: 12345 characters]');
    expect(cut).toHaveLength(125);
  });

  it('never parts a surrogate pair', () => {
    const cut = cutText('💧'.repeat(100), 44);
    expect(cut).toBe('💧'.repeat(10) + '… [cut: 180 characters]');
    expect(cutText('💧'.repeat(100), 4)).toBe('💧…');
  });

  it('marks the cut even where the marker does not fit', () => {
    expect(cutText('a'.repeat(100), 5)).toBe('aaaa…');
    expect(cutText('a'.repeat(100), 1)).toBe('…');
    expect(cutText('a'.repeat(100), 0)).toBe('');
  });
});
