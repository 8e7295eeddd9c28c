import { describe, expect, it } from 'vitest';
import { findUngrounded } from '../../../src/critic/grounded.ts';
import type { Json } from '../../../src/kernel/json.ts';

function ungrounded(
  report: Json,
  value: Json,
  more: { goal?: string; inputs?: Json; tolerance?: number } = {},
): string[] {
  const { goal = '', inputs = {}, tolerance = 0 } = more;
  const sources = { goal, inputs, results: [{ node: 'n', tool: 't', value }] };
  return findUngrounded(report, sources, tolerance).ungrounded.map(({ raw, place }) => `${raw} (${place})`);
}

describe('findUngrounded', () => {
  it.each([
    '1234567',
    '1,234,567',
    '1.234.567',
    '1 234 567',
    "1'234'567",
    '1’234’567',
    '1\u202f234\u202f567',
    '1\u00a0234\u00a0567',
    '1_234_567',
    '12,34,567',
    '1.234567 million',
    '1.234567M',
    '1234.567 thousand',
    '1234.567k',
    '1.234567e6',
    '1.234567×10^6',
    '1.234567 × 10⁶',
    '123.4567万',
    '１２３４５６７',
    '١٢٣٤٥٦٧',
    '$1,234,567.00',
    'USD1,234,567',
    '**1,234,567**',
  ])('reads %s as 1234567', (notation) => {
    expect(ungrounded(`It has ${notation} people.`, { population: 1_234_567 })).toEqual([]);
    expect(ungrounded({ population: 1_234_567 }, `It has ${notation} people.`)).toEqual([]);
    expect(ungrounded(`It has ${notation} people.`, { population: 1_234_568 })).toHaveLength(1);
  });

  it.each([
    ['37 %', 37],
    ['37%', 0.37],
    ['37 percent', 0.37],
    ['5 ‰', 0.005],
    ['1.4 MB', 1_400_000],
    ['1.4 MB', 1.4],
    ['2 KiB', 2048],
    ['−5 °C', -5],
    ['-5', -5],
    ['-$5.50', -5.5],
    ['12,5 km', 12.5],
    ['1.234,56', 1234.56],
    ['.5', 0.5],
    ['UTC+9', 'UTC+09:00'],
    ['UTC+9', { utcOffsetMinutes: 540 }],
    ['UTC-5', -5],
    ['GMT+5:30', 5.5],
    ['2:30 pm', '14:30'],
    ['14:30', '2024-05-01T14:30:07Z'],
    ['2024-05-01', '2024-05-01T14:30:07Z'],
    ['1 May 2024', '2024-05-01'],
    ['2024', { '2024': 'a key' }],
    ['3f9a', 'commit 3f9a'],
    ['1.2.3', 'version 1.2.3'],
    ['5km2', 5],
    ['9 200 people', [9, 200]],
    ['1,2,3', [1, 2, 3]],
    ['13.5 million', '13 500 000'],
    ['42', '{"answer":42}'],
  ])('finds %s grounded in %j', (stated, value) => {
    expect(ungrounded(`It is ${stated} there.`, value)).toEqual([]);
  });

  it.each([
    ['5', -5],
    ['-5', 5],
    ['13.5 million', 13.5],
    ['14 million', 13_960_000],
    ['UTC+9', 'Asia/Tokyo'],
    ['UTC+9', -9],
    ['2024-05-02', '2024-05-01, 2 days'],
    ['14:30:05', '14:30'],
    ['2nd', 'second'],
    ['3f9a', 'commit 3f9b'],
    ['3', 'commit 3f9b'],
    ['200', '9 200 people'],
    ['1.2.4', 'version 1.2.3'],
    ["1'2'3", 123],
    ['8', 'UTF8'],
    ['人口7人', 8],
    ['3 km', ['a', 'b', 'c']],
  ])('finds %s not grounded in %j', (stated, value) => {
    expect(ungrounded(`It is ${stated} there.`, value)).toHaveLength(1);
  });

  it.each([
    ['list ordinals', '1. Tokyo\n2) Paris\n  3. Lima\n- 4. Rome\n> 5. Oslo\n**6.** Bern'],
    ['numbered headings', '# 1. Tokyo\n## 1.1 Population\n### 1.1.2. Sources\n**2.3 Zones**'],
    ['digits in words', 'UTF8, H2O, pop_1, Q3, v2 and km2'],
    ['entities and footnotes', 'A&#39;s[^1]'],
    ['numbers in words', 'three cities'],
  ])('takes no claim from %s', (_, report) => {
    expect(ungrounded(report, null)).toEqual([]);
  });

  it.each([
    ['a heading that begins with a number', '## 3 cities', '3'],
    ['a heading that begins with a quantity', '## 2.5 million people', '2.5 million'],
    ['a long number and a full stop at a line start', '13960000. people', '13960000'],
    ['a number after an ordinal', '1. 77 people', '77'],
    ['both sides of dimensions', '3x10', '10'],
    ['a number after a word and a hyphen', 'COVID-19', '19'],
  ])('does not pass over %s', (_, report, raw) => {
    expect(ungrounded(report, null)).toContain(`${raw} (line 1)`);
  });

  it('names each number and its line', () => {
    expect(ungrounded('# Report\n\nTokyo: 5,\nLima: 6 and 7\r\nRome: 8', [5, 7])).toEqual([
      '6 (line 4)',
      '8 (line 5)',
    ]);
  });

  it('names the place in an output that is JSON, or the text of JSON', () => {
    const report = { cities: [{ name: 'Tokyo', text: 'a\n5 people' }], total: 6 };
    const places = ['5 (/cities/0/text)', '6 (/total)'];
    expect(ungrounded(report, null)).toEqual(places);
    expect(ungrounded(JSON.stringify(report), null)).toEqual(places);
    expect(ungrounded(7, 8)).toEqual(['7 (the output)']);
  });

  it('takes a number of the goal and the inputs for grounded', () => {
    expect(ungrounded('Top 3 of 9', null, { goal: 'Name the top 3', inputs: { cities: 9 } })).toEqual([]);
  });

  it('lets a whole number before a noun count a list', () => {
    const inputs = { cities: ['Tokyo', 'Paris', 'Lima'] };
    expect(ungrounded('Of the 3 cities', null, { inputs })).toEqual([]);
    expect(ungrounded('Of the 4 cities', null, { inputs })).toEqual(['4 (line 1)']);
    expect(ungrounded('Rank: 3', null, { inputs })).toEqual(['3 (line 1)']);
  });

  it('rounds only within the tolerance', () => {
    const value = [13_960_000, -200, 0];
    expect(ungrounded('14 million', value, { tolerance: 0.003 })).toEqual([]);
    expect(ungrounded('14 million', value, { tolerance: 0.002 })).toEqual(['14 million (line 1)']);
    expect(ungrounded('about −202', value, { tolerance: 0.01 })).toEqual([]);
    expect(ungrounded('about 202', value, { tolerance: 0.01 })).toEqual(['202 (line 1)']);
    expect(ungrounded('0.001', value, { tolerance: 0.01 })).toEqual(['0.001 (line 1)']);
    expect(ungrounded('2024-05-02', '2024-05-01', { tolerance: 1 })).toEqual(['2024-05-02 (line 1)']);
  });
});
