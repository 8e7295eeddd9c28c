import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIGURE_PATTERNS } from '../../src/memory/figure-patterns.ts';
import { keyFigures } from '../../src/memory/key-figures.ts';

const PARTS = [
  ...[
    '1.4',
    '12,345',
    '12 345',
    '3',
    '-5',
    '2026-11-30',
    'T10:00:00Z',
    '10^3',
    'e3',
    '1.',
    '１２',
    '2020',
    '30.11.2026',
  ],
  ...[
    ' MB',
    'GB/s',
    'km/h',
    ' per cent',
    ' people',
    ' foo',
    '°C',
    '%',
    '％',
    '$',
    '€',
    'USD ',
    '/day',
    '年',
    '月',
    '万',
    '人',
  ],
  ...[
    'v2',
    '1.2.3',
    'go1.22',
    'March ',
    'May',
    'Q3 ',
    'W48',
    ' am',
    'a.m.',
    '#12',
    'src/',
    'a.ts',
    ':12',
    '[id]/',
    'x',
    '×',
  ],
  ...[
    's3://b',
    'CVE-2024-1',
    'abc1234',
    'fe80::1',
    '3/4',
    '2h30m',
    'req_8f3a91',
    'N',
    ' ',
    '. ',
    ', ',
    '-',
    '/',
    '\\',
    '\n',
  ],
];

/** Holds what every pattern needs, on a line of its own, and no figure that the parts may make. */
const EVERYTHING = [
  'ftp://z 1999-09-09 19990909T090909Z 9/9/1999 9-Sep-1999 28.09.1999 Q2 1999 9月9日 abcdef99-',
  '99.99.99.99 z/z.zs:9 #99 9:09 pm v99 $99 zz99.99 XYZ-99-9 abcdef9 9h9m 99x99 9° 9::9 9-9-99',
].join(' ');

describe('the figures of a text', () => {
  it('are the same whether or not every pattern is looked for', () => {
    for (const { needs } of FIGURE_PATTERNS) expect(needs.test(EVERYTHING), String(needs)).toBe(true);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }), (parts) => {
        const text = parts.join('');
        const alone = keyFigures([text]);
        const beside = keyFigures([`${text}\n\n${EVERYTHING}`]);
        expect(beside.slice(0, alone.length)).toEqual(alone);
      }),
      { numRuns: 2000 },
    );
  });
});
