import { textPattern } from '../kernel/text-pattern.ts';
import { decimalKey } from './decimal.ts';
import { readDigits, scaleAt, scaleDecimal } from './number-notation.ts';
import { asciiDigits, withoutNumbering } from './number-text.ts';
import { OFFSET, readOffset, readTemporal, TEMPORAL } from './temporal.ts';
import { BINDING_LETTER } from './word-letters.ts';

/** A number, date, time or offset that a text states. */
export interface StatedNumber {
  /** As it is written. */
  readonly raw: string;
  /** Line of the text, from 1. */
  readonly line: number;
  /** What may be meant: any of these, and in it every key. */
  readonly meanings: readonly (readonly string[])[];
  /** What a source that states this gives besides, such as the year of a date. */
  readonly parts: readonly string[];
  /** The keys of several numbers that a report may mean by groups parted by spaces (`9 200`); a source means one. */
  readonly apart?: readonly string[];
  /** The key of a whole number before a noun, which may count the items of a list. */
  readonly countKey?: string;
}

/** HTML entities, footnote marks, and the sign between two dimensions. */
const NO_CLAIM = String.raw`&#x?[0-9a-fA-F]{1,8};|\[\^[^\]\s]{1,50}\]|(?<=\d)x(?=\d)`;

const CURRENCY_CODE = '(?:USD|EUR|GBP|JPY|CNY|CHF|INR|Rs)';
const SIGN = String.raw`(?<!${BINDING_LETTER}|[\p{N})\]%-])(?<sign>[-–])(?:${CURRENCY_CODE}|[$€£¥₹])?`;

const DIGITS = [
  // In groups, by each sign in use; then lists and versions; then any other number.
  String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d|[.,]\d)`,
  String.raw`\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?(?!\d|[.,]\d)`,
  String.raw`\d{1,3}(?:\.\d{3})+(?:,\d+)?(?!\d|[.,]\d)`,
  String.raw`\d{1,3}(?<group>['’_ \u00a0\u202f\u2009\u2007])\d{3}(?:\k<group>\d{3})*(?:[.,]\d+)?(?![\d_]|[.,'’]\d)`,
  String.raw`\d+(?<joint>[.,'’_])\d+(?:\k<joint>\d+)+`,
  String.raw`\d+(?:[.,]\d+)?`,
  String.raw`(?<!${BINDING_LETTER}|\p{N})\.\d+`,
].join('|');

const POWER =
  String.raw`[eE](?<exponent>[+-]?\d{1,6})(?!${BINDING_LETTER}|\p{N})` +
  String.raw`| ?[×x*·] ?10(?:\^(?<power>-?\d{1,6})|(?<raised>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,6}))`;

/** A word, with whatever digits are part of it: `UTF8`, `H2O`, `pop_1`. */
const WORD = String.raw`${BINDING_LETTER}(?:${BINDING_LETTER}|[\p{M}\p{N}])*`;

const TOKEN = textPattern(
  [
    `(?:${NO_CLAIM})`,
    `(?<temporal>${TEMPORAL})`,
    `(?<offset>${OFFSET})`,
    String.raw`(?:${SIGN}|${CURRENCY_CODE}(?=\d))?(?<digits>${DIGITS})(?:${POWER})?`,
    `(?:${WORD})`,
  ].join('|'),
  'gu',
);

interface TokenGroups {
  readonly temporal?: string;
  readonly offset?: string;
  readonly sign?: string;
  readonly digits?: string;
  readonly group?: string;
  readonly joint?: string;
  readonly exponent?: string;
  readonly power?: string;
  readonly raised?: string;
}

/**
 * Every number that a text states in digits, of any script and in any usual notation; not the numbering of lists and
 * headings, nor digits within words. A number spelled out in words is not found.
 */
export function findNumbers(text: string): StatedNumber[] {
  const ascii = asciiDigits(text);
  // Most texts are names and keys.
  if (!/\d/.test(ascii)) return [];
  const readable = withoutNumbering(ascii);
  const found: StatedNumber[] = [];
  let line = 1;
  let lineUpTo = 0;
  const token = TOKEN(readable);
  token.lastIndex = 0;
  for (let match = token.exec(readable); match !== null; match = token.exec(readable)) {
    const groups = match.groups as TokenGroups;
    const { temporal, offset, digits } = groups;
    if (temporal === undefined && offset === undefined && digits === undefined) continue;
    for (; lineUpTo < match.index; lineUpTo++) if (readable[lineUpTo] === '\n') line++;
    if (temporal !== undefined) found.push({ raw: temporal, line, ...readTemporal(temporal) });
    else if (offset !== undefined) found.push({ raw: offset, line, ...readOffset(offset) });
    else {
      const end = match.index + match[0].length;
      const { suffixEnd, ...number } = readNumber(readable, end, groups);
      found.push({ raw: readable.slice(match.index, suffixEnd), line, parts: [], ...number });
      token.lastIndex = suffixEnd;
    }
  }
  return found;
}

type NumberReading = Pick<StatedNumber, 'meanings' | 'apart' | 'countKey'> & { readonly suffixEnd: number };

const FOLLOWING_NOUN = textPattern(String.raw` \p{L}{4,}`, 'uy');
const FOLLOWING_LETTERS = textPattern(WORD, 'uy');

/** A word of digits, letters and digits again (`3f9a`), whose first digits mean nothing; not `5km2`, not `3x10`. */
const IDENTIFIER = textPattern(String.raw`^\d+(?!x\d+$|\p{L}{1,3}[23]$)[\p{L}_]+\d`, 'u');

function readNumber(text: string, end: number, groups: TokenGroups): NumberReading {
  const digits = groups.digits ?? '';
  const word = wordAt(text, end, digits);
  if (word !== null && IDENTIFIER(word).test(word)) return { meanings: [[`word:${word}`]], suffixEnd: end };
  const decimals = readDigits(digits, exponentOf(groups), groups.sign !== undefined);
  const suffix = scaleAt(text, end);
  const scaled = suffix === null ? decimals : decimals.flatMap((one) => scaleDecimal(one, suffix.scale));
  const meanings = [...scaled.map((decimal) => [decimalKey(decimal)]), ...otherMeanings(word, groups)];
  const isCount = suffix === null && groups.sign === undefined && /^\d{1,6}$/.test(digits);
  const countKey =
    isCount && matchAt(FOLLOWING_NOUN(text), text, end) !== null ? meanings[0]?.[0] : undefined;
  return {
    meanings,
    suffixEnd: suffix?.end ?? end,
    ...(groups.group === ' ' ? { apart: digits.split(' ').flatMap(firstKey) } : {}),
    ...(countKey === undefined ? {} : { countKey }),
  };
}

function exponentOf({ exponent, power, raised }: TokenGroups): number {
  if (raised === undefined) return Number(exponent ?? power ?? 0);
  return Number(
    raised.replace('⁻', '-').replace(/[⁰¹²³⁴-⁹]/g, (digit) => String('⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(digit))),
  );
}

/** Readings as something else than one number: a list, a version, a word that begins with digits. */
function otherMeanings(word: string | null, { digits = '', joint }: TokenGroups): string[][] {
  if (joint === ',') return [digits.split(',').flatMap(firstKey)];
  if (joint !== undefined) return [[`word:${digits}`]];
  return word === null ? [] : [[`word:${word}`]];
}

/** The word that begins with these plain digits, such as `2nd`; null where no letters follow them. */
function wordAt(text: string, end: number, digits: string): string | null {
  const letters = /^\d+$/.test(digits) ? matchAt(FOLLOWING_LETTERS(text), text, end) : null;
  return letters === null ? null : digits + letters;
}

function firstKey(digits: string): string[] {
  return readDigits(digits, 0, false).slice(0, 1).map(decimalKey);
}

function matchAt(pattern: RegExp, text: string, index: number): string | null {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? null;
}
