import { describe, expect, it } from 'vitest';
import { keyFigures } from '../../../src/memory/key-figures.ts';
import type { Json } from '../../../src/kernel/json.ts';

const found = (value: Json): string[] =>
  keyFigures(value).map(
    ({ kind, text, field }) => `${field === undefined ? '' : `${field}=`}${kind}:${text}`,
  );

describe('key figures', () => {
  it.each<[Json, string[]]>([
    ['The file was 1.4 MB with 12,345 rows.', ['number:1.4 MB', 'number:12,345 rows']],
    ['grew by 18% to $1,200.50 in 3.5 s', ['number:18%', 'number:$1,200.50', 'number:3.5 s']],
    ['−3 °C, about 37 million people', ['number:−3 °C', 'number:37 million']],
    ['€4 billion', ['number:€4 billion']],
    ['src/engine/driver.ts:118:5 and ./a/b.json', ['path:src/engine/driver.ts:118:5', 'path:./a/b.json']],
    ['main.c:7 fails', ['path:main.c:7']],
    ['upgrade v2.3.1 to 2.4.0-beta.2', ['version:v2.3.1', 'version:2.4.0-beta.2']],
    ['on 2026-11-30T07:10:00Z or 3 March 2027', ['date:2026-11-30T07:10:00Z', 'date:3 March 2027']],
    ['from 2026-11-30 on', ['date:2026-11-30']],
    ['see https://example.org/a?b=1#c.', ['url:https://example.org/a?b=1#c']],
    ['commit 9df6451 of OPS-2291 (#42)', ['id:9df6451', 'id:OPS-2291', 'id:#42']],
    ['123e4567-e89b-12d3-a456-426614174000', ['id:123e4567-e89b-12d3-a456-426614174000']],
    ['nothing of note, be added', []],
    [{ population: 37_400_068, ratio: 0.5, none: null }, ['population=number:37400068', 'ratio=number:0.5']],
    [{ list: ['1 kB', '1 kB', '2 kB'] }, ['list=number:1 kB', 'list=number:2 kB']],
    [[true, { a: { b: 'v3' } }], ['b=version:v3']],
  ])('of %j', (value, figures) => {
    expect(found(value)).toEqual(figures);
  });

  it.each<[string, string]>([
    ['$1.2M from 1.2M users, 500k calls, €3bn', 'number:$1.2M number:1.2M number:500k number:€3bn'],
    ['12 MB/day at 5 requests/s and 3 kg/m²', 'number:12 MB/day number:5 requests/s number:3 kg/m²'],
    ['4,50 € or CHF 1’200 or 7 euros', 'number:4,50 € number:CHF 1’200 number:7 euros'],
    ['12 345 678 rows, 12\u2009345 m³', 'number:12 345 678 rows number:12\u2009345 m³'],
    ['6.02e23, 1.5E-9 s, 3 × 10^8 m/s', 'number:6.02e23 number:1.5E-9 s number:3 × 10^8 m/s'],
    ['a 5-minute window, 2h30m, 1h 5min', 'number:5-minute number:2h30m number:1h 5min'],
    ['1920x1080, 12 percent, 3 pp', 'number:1920x1080 number:12 percent number:3 pp'],
    ['人口は3,740万人、面積は2194km²', 'number:3,740万人 number:2194km²'],
    ['１２３人', 'number:１２３人'],
    ['at 14:05, 9:30 am or 23:59:59 UTC', 'date:14:05 date:9:30 am date:23:59:59 UTC'],
    ['30.11.2026, 11/30/2026, 2026/11/30', 'date:30.11.2026 date:11/30/2026 date:2026/11/30'],
    ['Mon, 30 Nov 2026 10:00:00 GMT', 'date:30 Nov 2026 10:00:00 GMT'],
    ['the 3rd of March 2027, March 3rd, 2027', 'date:3rd of March 2027 date:March 3rd, 2027'],
    ['30/Nov/2026:10:00:00 +0000', 'date:30/Nov/2026:10:00:00 +0000'],
    ['2026年11月30日 and 20261130T101500Z', 'date:2026年11月30日 date:20261130T101500Z'],
    ['2026-W48, Q3 2026, November 2026', 'date:2026-W48 date:Q3 2026 date:November 2026'],
    ['/etc/hosts:3: Makefile:12: *** stop', 'path:/etc/hosts:3 path:Makefile:12'],
    ['src/a.ts(12,5): error TS1', 'path:src/a.ts(12,5)'],
    ['File "/usr/app.py", line 42, in f', 'path:/usr/app.py", line 42'],
    ['C:\\repo\\src\\a.ts:12 and ~/x.ts:5', 'path:C:\\repo\\src\\a.ts:12 path:~/x.ts:5'],
    ['src/ファイル.ts:12-20 .env:3', 'path:src/ファイル.ts:12-20 path:.env:3'],
    ['see src/a.ts#L12-L20', 'path:src/a.ts#L12-L20'],
    [
      'go1.22.3, Python3.11 and 1.2.3-rc.1+build-5',
      'version:go1.22.3 version:Python3.11 version:1.2.3-rc.1+build-5',
    ],
    ['CVE-2024-12345 at 10.0.0.1:8080', 'id:CVE-2024-12345 id:10.0.0.1:8080'],
    ['run 20261130-161904-034-zhro, req_8f3a91', 'id:20261130-161904-034-zhro id:req_8f3a91'],
    ['ISBN 978-3-16-148410-0, owner/repo#42', 'id:978-3-16-148410-0 id:owner/repo#42'],
    [
      'https://en.wikipedia.org/wiki/A_(b), http://[::1]:80/',
      'url:https://en.wikipedia.org/wiki/A_(b) url:http://[::1]:80/',
    ],
    ['(https://a.b/c) s3://bucket/key。', 'url:https://a.b/c url:s3://bucket/key'],
    ['ca.1.4 MB, .5 s, 1.4-2.5 MB, EUR1.50', 'number:1.4 MB number:.5 s number:1.4-2.5 MB number:EUR1.50'],
    ['1_000_000 of 10⁶ or 2^10', 'number:1_000_000 number:10⁶ number:2^10'],
    ['3/4 at 16:9 near 48°51′24″N', 'number:3/4 number:16:9 number:48°51′24″N'],
    ['foo.rs:10:5-12 src/[id]/(group)/page.tsx:7', 'path:foo.rs:10:5-12 path:src/[id]/(group)/page.tsx:7'],
    ['java 1.8.0_392 on ubuntu-24.04', 'version:1.8.0_392 number:24.04'],
    ['Nov 30, 5 May, 10:00:00,123 and 3pm', 'date:Nov 30 date:5 May date:10:00:00,123 date:3pm'],
    ['１．４ＭＢ、５月３日', 'number:１．４ＭＢ date:５月３日'],
    ['sha256:0123abcd0123 from fe80::1', 'id:sha256:0123abcd0123 id:fe80::1'],
    ['[x](https://a.b/c?d=1) HTTPS://A.B', 'url:https://a.b/c?d=1 url:HTTPS://A.B'],
  ])('of %j, as a whole', (text, figures) => {
    expect(found(text).join(' ')).toBe(figures);
  });

  it('of keys that are more than counts stand for themselves', () => {
    expect(found({ 'src/a.ts:12': 'unused', 7: 'x', plain: [{ 'v1.2.3': true }] })).toEqual([
      'path:src/a.ts:12',
      'version:v1.2.3',
    ]);
  });

  it('stand in the text as they are given', () => {
    const text = 'Sizes: 1.4 MB, 12\u202f345 rows at https://a.b/c, on 2026-01-01.';
    for (const figure of keyFigures(text)) expect(text).toContain(figure.text);
  });

  it('are bounded in number and in time', () => {
    expect(
      keyFigures(
        Array.from({ length: 1000 }, (_value, index) => index),
        10,
      ),
    ).toHaveLength(10);
    expect(keyFigures('7', 0)).toEqual([]);
    const started = performance.now();
    for (const part of ['a', '1', 'a/', '1.', 'a.', '$1,', '- ', 'a:1', '-1a.b/'])
      keyFigures(part.repeat(50_000));
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it.each([
    '1-',
    '1 ',
    'a\\',
    '1:0',
    'a1_',
    'é',
    '1h',
    'http://(',
    'a-1',
    '12 345 ',
    '/',
    '#',
    '1/',
    '年1',
    '[:',
    '~/',
  ])('of %j over and over are found in linear time', (part) => {
    const started = performance.now();
    keyFigures(part.repeat(50_000), Number.POSITIVE_INFINITY);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
