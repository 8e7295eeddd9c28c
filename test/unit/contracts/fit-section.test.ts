import { describe, expect, it } from 'vitest';
import { fitListSection, fitTextSection } from '../../../src/contracts/fit-section.ts';
import { readSection } from '../../../src/contracts/section.ts';

const read = (text: string, name: string): unknown =>
  readSection({ messages: [{ role: 'user', content: text }] }, name);

describe('fitTextSection', () => {
  it('keeps a text whole that fits', () => {
    expect(read(fitTextSection('report', 'a <b>', 100), 'report')).toBe('a <b>');
  });

  it('cuts a text whose escapes would pass the limit', () => {
    const text = fitTextSection('report', '<'.repeat(200), 300);
    expect(text.length).toBeLessThanOrEqual(300);
    expect(read(text, 'report')).toMatch(/^<{24,}… \[cut: \d+ characters\]$/);
  });

  it('is empty where the tags alone do not fit', () => {
    expect(fitTextSection('report', 'text', 10)).toBe('');
  });
});

describe('fitListSection', () => {
  const item = (node: string, value: string | readonly number[]) => ({ node, tool: 't', value });

  it('keeps everything whole that fits', () => {
    const items = [item('a', [1, 2]), item('b', 'text')];
    expect(read(fitListSection('results', items, 1000), 'results')).toEqual(items);
  });

  it('cuts only the large values, each to the same length', () => {
    const items = [item('a', 'x'.repeat(5000)), item('b', [1, 2]), item('c', 'y'.repeat(9000))];
    const text = fitListSection('results', items, 1000);
    const [first, second, third] = read(text, 'results') as { value: unknown }[];
    expect(text.length).toBeLessThanOrEqual(1000);
    expect(text.length).toBeGreaterThan(950);
    expect(second).toEqual(items[1]);
    expect(first?.value).toMatch(/^x{300,}… \[cut: \d+ characters\]$/);
    expect(third?.value).toMatch(/^y{300,}… \[cut: \d+ characters\]$/);
  });

  it('shows the start of the JSON of a value that is no text', () => {
    const text = fitListSection(
      'results',
      [
        item(
          'a',
          Array.from({ length: 900 }, () => 7),
        ),
      ],
      400,
    );
    const [first] = read(text, 'results') as { value: unknown }[];
    expect(first?.value).toMatch(/^\[7,7,.*… \[cut: \d+ characters\]$/);
  });

  it('says how many items it left out', () => {
    const items = Array.from({ length: 1000 }, (_, index) => item(`n${index}`, 'z'.repeat(1000)));
    const text = fitListSection('results', items, 2000);
    const kept = read(text, 'results') as unknown[];
    expect(text.length).toBeLessThanOrEqual(2000);
    expect(kept.length).toBeGreaterThan(10);
    expect(text).toContain(`(${1000 - kept.length} more left out)`);
  });

  it('leaves items out that have no value to cut', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ node: `n${index}`, state: 'skipped' }));
    const text = fitListSection('missing', items, 500);
    expect(text.length).toBeLessThanOrEqual(500);
    expect((read(text, 'missing') as unknown[]).slice(0, 2)).toEqual(items.slice(0, 2));
  });
});
