import { isLatin1, textPattern } from '../kernel/text-pattern.ts';

const FOREIGN_DIGIT = /(?![0-9])\p{Nd}/gu;
const DECIMAL_DIGIT = /^\p{Nd}$/u;
const WIDE_SIGNS: Readonly<Record<string, string>> = {
  '−': '-',
  '－': '-',
  '＋': '+',
  '，': ',',
  '．': '.',
  '：': ':',
};

/** The text with the digits of every script as ASCII digits, and minus and full-width signs as ASCII signs. */
export function asciiDigits(text: string): string {
  if (isLatin1(text)) return text;
  return text
    .replace(FOREIGN_DIGIT, (digit) => String(digitValue(digit)))
    .replace(/[−－＋，．：]/g, (sign) => WIDE_SIGNS[sign] ?? sign);
}

/** Unicode lays decimal digits out in runs of ten from zero; runs that touch (mathematical digits) count on. */
function digitValue(digit: string): number {
  const codePoint = digit.codePointAt(0) ?? 0;
  let start = codePoint;
  while (DECIMAL_DIGIT.test(String.fromCodePoint(start - 1))) start--;
  return (codePoint - start) % 10;
}

const LIST_ORDINAL =
  /^(?<before>[ \t]*(?:>[ \t]*)*(?:[-*+][ \t]+)?(?:\*\*|__)?)\d{1,3}[.)](?=\s|$|\*\*|__)/gm;
const HEADING_NUMBER = textPattern(
  String.raw`^(?<before> {0,3}(?:#{1,6}[ \t]+|\*\*|__))(?:\d{1,3}(?:\.\d{1,3})*[.):]|\d{1,2}(?:\.\d{1,2})+)(?=[ \t]+(?!(?:M|B|Tr)illion|Thousand|Percent)[\p{Lu}\p{Lo}])`,
  'gmu',
);

/** The text without the numbering of list items and headings at line starts, which claims nothing. */
export function withoutNumbering(text: string): string {
  return text.replace(LIST_ORDINAL, '$<before>').replace(HEADING_NUMBER(text), '$<before>');
}
