import { describe, expect, it } from 'vitest';
import { missingWords } from '../../../src/critic/missing-words.ts';

const names = (text: string, item: string): boolean => missingWords(text, [item]).length === 0;

describe('missingWords', () => {
  it.each([
    ['Paris', 'We compared Paris and Lima.'],
    ['Paris', 'paris'],
    ['PARIS', 'In Paris, of course'],
    ['Paris', "Paris's population"],
    ['Paris', 'Paris’ streets'],
    ['Paris', '**Paris**: 2 million'],
    ['Paris', '_Paris_ and __Paris__'],
    ['Paris', 'Parisian life in Paris'],
    ['Paris', '在Paris的'],
    ['Paris', 'Paris-based'],
    ['São Paulo', 'são  paulo'],
    ['São Paulo', 'Sa\u0303o\nPaulo'],
    ["Nuku'alofa", 'Nuku’alofa is small'],
    ['Nukuʻalofa', "In Nuku'alofa"],
    ["St. John's", 'From St. John’s, by ship'],
    ['Washington D.C.', 'in Washington D.C.'],
    ['東京', '東京都の人口'],
    ['서울', '서울은 크다'],
    ['กรุงเทพ', 'ประชากรของกรุงเทพมหานคร'],
    ['Ürümqi', 'ÜRÜMQI'],
    ['%', '37 %'],
  ])('finds %j in %j', (item, text) => {
    expect(names(text, item)).toBe(true);
  });

  it.each([
    ['Paris', 'City Comparison Report'],
    ['Paris', 'A Parisian view'],
    ['Paris', 'Comparis'],
    ['Paris', 'Paris2'],
    ['Paris', 'pop_Paris'],
    ['Paris', 'Paris_pop'],
    ['Nuku', "Nuku'alofa"],
    ['Cordoba', 'Córdoba'],
    ['Cordob', 'Cordob\u0301'],
    ['Lima', ''],
    ['', 'Lima'],
    [' ', 'a b'],
    ['a', '𝐚a'],
  ])('does not find %j in %j', (item, text) => {
    expect(names(text, item)).toBe(false);
  });

  it('names each item that is missing, as it was given', () => {
    expect(missingWords('Paris and Osaka', ['Osaka', 'Lima', 'Paris', 'Rome'])).toEqual(['Lima', 'Rome']);
  });
});
