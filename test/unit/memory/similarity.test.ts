import { readFileSync } from 'node:fs';
import loadWabt from 'wabt';
import { describe, expect, it } from 'vitest';
import { DOT_KERNEL } from '../../../src/memory/dot-kernel.ts';
import { DotProducts, encodeVector } from '../../../src/memory/dot-products.ts';
import { jaccard, wordHashesOf, wordsOf } from '../../../src/memory/similarity.ts';
import { vectorOf } from '../../support/memory-entries.ts';

describe('words', () => {
  it.each([
    ['The 1.4 MB file, v2.3.1!', ['the', '1.4', 'mb', 'file', 'v2', '3.1']],
    ['get_population(Tōkyō)', ['get', 'population', 'tōkyō']],
    ['Straße STRASSE', ['straße', 'strasse']],
    ['ＡＢＣ １２', ['abc', '12']],
    ['東京都の人口', ['東京', '京都', '都の', 'の人', '人口', ...Array.from('東京都人口')]],
    ['北京有2100万人', ['北京', '京有', '2100', '万人', ...Array.from('北京有万人')]],
    ['データ', ['デー', 'ータ']],
    ['สวัสดี x', ['สว', 'วั', 'ัส', 'สด', 'ดี', 'x']],
    ['木 tree', ['木', 'tree']],
    ['서울 인구', ['서울', '인구']],
    ['a a A', ['a']],
    [' \u{1f5fc} — … ', []],
  ])('of %j', (text, words) => {
    expect([...wordsOf(text)].toSorted()).toEqual(words.toSorted());
  });

  it('find a Japanese text by one that says the same in part', () => {
    const query = wordsOf('東京の人口は？');
    const alike = jaccard(query, wordsOf('東京の人口は約三千七百万人です。'));
    expect(alike).toBeGreaterThan(0.3);
    expect(jaccard(query, wordsOf('大阪は雨です。'))).toBe(0);
  });

  it('find a text by one character that is a word', () => {
    expect(jaccard(wordsOf('雨'), wordsOf('大阪は雨です。'))).toBeGreaterThan(0);
    expect(jaccard(wordsOf('税'), wordsOf('所得税率'))).toBeGreaterThan(0);
  });

  it('are parted by every sign that is no letter, mark or digit', () => {
    for (let code = 0x2000; code <= 0x23ff; code++) {
      const text = `a${String.fromCharCode(code)}b`.normalize('NFKC').toLowerCase();
      expect([...wordsOf(text)], code.toString(16)).toEqual([...new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu))]);
    }
  });

  it('have hashes that differ', () => {
    const words = Array.from({ length: 50_000 }, (_value, index) => `word${index}`);
    expect(new Set(words.map((word) => wordHashesOf(word)[0])).size).toBeGreaterThan(49_998);
    expect(wordHashesOf('b a b')).toHaveLength(2);
  });
});

describe('the Jaccard index', () => {
  it.each([
    ['', '', 0],
    ['a', '', 0],
    ['a b', 'a b', 1],
    ['a b c', 'b c d', 0.5],
  ])('of %j and %j', (a, b, expected) => {
    expect(jaccard(wordsOf(a), wordsOf(b))).toBe(expected);
  });
});

describe('dot products of codes', () => {
  it.each([1, 31, 32, 33, 384, 4096])('come near those of the vectors at %d dimensions', (dimensions) => {
    const products = new DotProducts(dimensions);
    const vectors = Array.from({ length: 20 }, (_value, seed) => vectorOf(seed, dimensions));
    const codes = vectors.map(encodeVector);
    for (const { code } of codes) products.add(code);
    const query = vectorOf(99, dimensions);
    products.forEachBlock(query, (block, first, queryScale) => {
      expect([block.length, first]).toEqual([20, 0]);
      for (const [index, vector] of vectors.entries()) {
        const exact = vector.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
        const near = (block[index] ?? 0) * queryScale * (codes[index]?.scale ?? 0);
        expect(near).toBeCloseTo(exact, 1);
      }
    });
  });

  it('hold at the largest values that there are', () => {
    const ones = new Float32Array(4096).fill(1 / 64);
    const products = new DotProducts(4096);
    products.add(encodeVector(ones).code);
    products.forEachBlock(ones, (block) => {
      expect(block[0]).toBe(4096 * 4095 * 127);
    });
  });

  it('refuse dimensions that they cannot count', () => {
    expect(() => new DotProducts(0)).toThrow(RangeError);
    expect(() => new DotProducts(4097)).toThrow(RangeError);
  });

  it('are assembled from the source beside them (node scripts/dot-kernel.mjs)', async () => {
    const source = new URL('../../../src/memory/dot-kernel.wat', import.meta.url);
    const wabt = await loadWabt();
    const module = wabt.parseWat('dot-kernel.wat', readFileSync(source, 'utf8'), { simd: true });
    expect(Buffer.from(module.toBinary({}).buffer).toString('base64')).toBe(DOT_KERNEL);
  });
});
