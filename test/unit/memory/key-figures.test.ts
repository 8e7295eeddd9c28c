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
});
