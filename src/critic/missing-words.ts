import { textPattern } from '../kernel/text-pattern.ts';
import { UNSPACED_SCRIPTS } from './word-letters.ts';

/**
 * Those of the items that a text does not name as a word: not as a part of a longer word, whatever its case, its
 * white space, its Unicode form (NFC) and the shape of its apostrophes. A possessive (`Paris's`) names it too.
 * Scripts written without spaces, and Hangul with its particles, have no boundaries to look for: there any
 * occurrence counts.
 */
export function missingWords(text: string, items: readonly string[]): string[] {
  const normalized = normalize(text);
  return items.filter((item) => !findWord(normalized, normalize(item).trim()));
}

function normalize(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\u00ad\u200e\u200f\u2060\ufeff]/g, '')
    .replace(/[\u2018\u2019\u02bc\u02bb\u02b9\u2032\uff07`]/g, "'")
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

function findWord(text: string, item: string): boolean {
  if (item === '') return false;
  for (let start = text.indexOf(item); start >= 0; start = text.indexOf(item, start + 1)) {
    if (beginsWord(text, start) && endsWord(text, start + item.length)) return true;
  }
  return false;
}

const WORD = textPattern(String.raw`[\p{L}\p{M}\p{N}]`, 'u');
const UNSPACED = textPattern(`[${UNSPACED_SCRIPTS}]`, 'u');

const isOfWord = (character: string): boolean => WORD(character).test(character);
/** Whether a character has neighbours that are words of their own. */
const isUnspaced = (character: string): boolean => UNSPACED(character).test(character);

function beginsWord(text: string, start: number): boolean {
  const first = codePointFrom(text, start);
  let before = start;
  while (text[before - 1] === '_') before--;
  return !areJoined(codePointBefore(text, before), first);
}

function endsWord(text: string, end: number): boolean {
  const last = codePointBefore(text, end);
  if (text[end] === "'" && isOfWord(last)) return !isInnerApostrophe(text, end);
  let after = end;
  while (text[after] === '_') after++;
  return !areJoined(last, codePointFrom(text, after));
}

/** Whether letters other than a possessive `s` follow the apostrophe, as in `Nuku'alofa`. */
function isInnerApostrophe(text: string, apostrophe: number): boolean {
  const next = codePointFrom(text, apostrophe + 1);
  if (next !== 's') return isOfWord(next) && !isUnspaced(next);
  return areJoined('s', codePointFrom(text, apostrophe + 2));
}

function areJoined(left: string, right: string): boolean {
  return isOfWord(left) && isOfWord(right) && !isUnspaced(left) && !isUnspaced(right);
}

function codePointFrom(text: string, index: number): string {
  const codePoint = text.codePointAt(index);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

function codePointBefore(text: string, index: number): string {
  const isPair = index >= 2 && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 2, index));
  return isPair ? text.slice(index - 2, index) : text.slice(Math.max(0, index - 1), index);
}
