import { type Decimal, multiplyDecimal, shiftDecimal, toDecimal } from './decimal.ts';
import { textPattern } from '../kernel/text-pattern.ts';
import { BINDING_LETTER } from './word-letters.ts';

/** What a suffix of a number may make of it: the powers of ten or factors, any of which may be meant. */
interface Scale {
  readonly exponents: readonly number[];
  readonly factors?: readonly bigint[];
}

const HUNDREDTH: Scale = { exponents: [0, -2] };
const THOUSANDTH: Scale = { exponents: [0, -3] };

const WORD_EXPONENTS: readonly (readonly [RegExp, number])[] = [
  [/^hundreds?$/, 2],
  [/^(?:thousands?|tausend)$/, 3],
  [/^lakhs?$/, 5],
  [/^(?:millions?|millionen|millones|milh(?:ões|ão)|mio|mln|mn)$/, 6],
  [/^crores?$/, 7],
  [/^(?:billions?|milliarden?|milliards?|mrd|bn)$/, 9],
  [/^(?:trillions?|tn|trn)$/, 12],
];

/** Letters directly after the digits. Where 0 stands too, the letter may as well be a unit (300K, 512B). */
const LETTER_EXPONENTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['k', [3]],
  ['K', [3, 0]],
  ['M', [6]],
  ['B', [9, 0]],
  ['T', [12]],
]);

const CJK_EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...(['千', '천'] as const).map((sign) => [sign, 3] as const),
  ...(['万', '萬', '만'] as const).map((sign) => [sign, 4] as const),
  ['百万', 6],
  ...(['億', '亿', '억'] as const).map((sign) => [sign, 8] as const),
]);

const LETTERS = `(?:${BINDING_LETTER}){1,12}`;
const PERCENT = `[%‰％]|(?:percent|per cent|pct|Prozent)(?!${BINDING_LETTER})`;
const SUFFIX = textPattern(
  String.raw`[ \u00a0\u202f\u2009]?(?:(?<percent>${PERCENT})|(?<cjk>百万|[千천万萬만億亿억])|(?<word>${LETTERS})(?!${BINDING_LETTER}|\p{N}))`,
  'uy',
);

const BYTES = /^(?<prefix>[kKMGTP])(?<binary>i?)B$/;

/** What the suffix at `index` makes of the number before it, and where the suffix ends; null where none is known. */
export function scaleAt(text: string, index: number): { scale: Scale; end: number } | null {
  const suffix = SUFFIX(text);
  suffix.lastIndex = index;
  const match = suffix.exec(text);
  if (match === null) return null;
  const { percent, cjk, word = '' } = match.groups as { percent?: string; cjk?: string; word?: string };
  const end = index + match[0].length;
  if (percent !== undefined) return { scale: percent === '‰' ? THOUSANDTH : HUNDREDTH, end };
  if (cjk !== undefined) return { scale: { exponents: [CJK_EXPONENTS.get(cjk) ?? 0] }, end };
  const scale = scaleOfWord(word, word.length === match[0].length);
  return scale === null ? null : { scale, end };
}

function scaleOfWord(word: string, isDirectlyAfter: boolean): Scale | null {
  const bytes = BYTES.exec(word)?.groups as { prefix: string; binary: string } | undefined;
  if (bytes !== undefined) {
    const power = 'KMGTP'.indexOf(bytes.prefix.toUpperCase()) + 1;
    const exponents = bytes.binary === '' ? [0, 3 * power] : [0];
    return { exponents, factors: [1024n ** BigInt(power)] };
  }
  const letter = isDirectlyAfter ? LETTER_EXPONENTS.get(word) : undefined;
  if (letter !== undefined) return { exponents: letter };
  const lower = word.toLowerCase();
  const exponent = WORD_EXPONENTS.find(([pattern]) => pattern.test(lower))?.[1];
  return exponent === undefined ? null : { exponents: [exponent] };
}

/** What a number with a suffix may mean. */
export function scaleDecimal(decimal: Decimal, scale: Scale): Decimal[] {
  return [
    ...scale.exponents.map((exponent) => shiftDecimal(decimal, exponent)),
    ...(scale.factors ?? []).map((factor) => multiplyDecimal(decimal, factor)),
  ];
}

const GROUPED_BY_COMMA = /^\d{1,3}(?:,\d{3})+$|^\d{1,2}(?:,\d{2})+,\d{3}$/;
const GROUPED_BY_DOT = /^\d{1,3}(?:\.\d{3})+$/;
const GROUPED_BY_SIGN = /^\d{1,3}(?:['’_ \u00a0\u202f\u2009\u2007]\d{3})+$/;
const NOT_DIGIT = /\D/g;

/**
 * What digits with separators may mean as one number. `1.234` and `1,234` are read both as grouped and as a
 * fraction, for both are written; empty where the text is no single number, such as a version `1.2.3`.
 */
export function readDigits(text: string, exponent: number, isNegative: boolean): Decimal[] {
  const decimal = (integer: string, fraction: string): Decimal =>
    toDecimal(integer.replace(NOT_DIGIT, ''), fraction, exponent, isNegative);
  const mark = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','));
  if (mark < 0) return /^\d+$/.test(text) || GROUPED_BY_SIGN.test(text) ? [decimal(text, '')] : [];
  const [integer, fraction] = [text.slice(0, mark), text.slice(mark + 1)];
  const separators = new Set(integer.match(NOT_DIGIT));
  const meanings: Decimal[] = [];
  if (separators.size === 0 || isGrouped(integer, text[mark] ?? ''))
    meanings.push(decimal(integer, fraction));
  const canBeGrouped = GROUPED_BY_COMMA.test(text) || GROUPED_BY_DOT.test(text);
  if (canBeGrouped && !text.startsWith('0')) meanings.push(decimal(text, ''));
  return meanings;
}

/** Whether an integer is written in groups by another sign than the decimal mark. */
function isGrouped(integer: string, decimalMark: string): boolean {
  if (GROUPED_BY_SIGN.test(integer)) return true;
  return decimalMark === '.' ? GROUPED_BY_COMMA.test(integer) : GROUPED_BY_DOT.test(integer);
}
