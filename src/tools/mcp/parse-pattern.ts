import { ANY, complementOf, DIGITS, LINE_ENDS, type Ranges, SPACES, WORDS } from './code-unit-ranges.ts';

/** A part of a regular expression. */
export type Part =
  /** Takes one code unit. */
  | { readonly kind: 'set'; readonly ranges: Ranges }
  /** `^`, `$` and `\b`, which take nothing. */
  | { readonly kind: 'start' | 'end' | 'boundary' }
  | { readonly kind: 'look'; readonly isWanted: boolean; readonly body: Part }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly options: readonly Part[] }
  | { readonly kind: 'repeat'; readonly min: number; readonly max: number; readonly body: Part };

const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12 };
const CLASSES: Readonly<Record<string, Ranges>> = {
  ...{ d: DIGITS, D: complementOf(DIGITS), w: WORDS, W: complementOf(WORDS) },
  ...{ s: SPACES, S: complementOf(SPACES) },
};

const MAX_DEPTH = 16;

/** The parts of a regular expression without flags; null where it refers back, looks behind, or is nested too deeply. */
export function parsePattern(pattern: string): Part | null {
  let at = 0;
  let depth = 0;
  const unknown: string[] = [];

  const take = (text: string): boolean => {
    if (!pattern.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  const match = (expression: RegExp): RegExpExecArray | null => {
    const found = expression.exec(pattern.slice(at));
    at += found?.[0].length ?? 0;
    return found;
  };

  const choice = (): Part => {
    const options = [sequence()];
    while (take('|')) options.push(sequence());
    return options.length === 1 ? (options[0] as Part) : { kind: 'choice', options };
  };
  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') parts.push(repeated(atom()));
    return { kind: 'sequence', parts };
  };
  const repeated = (body: Part): Part => {
    const found = match(/^(?:[*+?]|\{(\d+)(,(\d*))?\})\??/);
    if (found === null) return body;
    const [sign, from, several, to] = found;
    if (from === undefined)
      return { kind: 'repeat', min: sign[0] === '+' ? 1 : 0, max: sign[0] === '?' ? 1 : Infinity, body };
    const max = several === undefined ? Number(from) : to === '' ? Infinity : Number(to);
    return { kind: 'repeat', min: Number(from), max, body };
  };
  const atom = (): Part => {
    if (take('^')) return { kind: 'start' };
    if (take('$')) return { kind: 'end' };
    if (take('.')) return { kind: 'set', ranges: complementOf(LINE_ENDS) };
    if (take('[')) return { kind: 'set', ranges: characterClass() };
    if (take('(')) return group();
    if (match(/^\\[bB]/) !== null) return { kind: 'boundary' };
    return { kind: 'set', ranges: characters(false) };
  };
  const group = (): Part => {
    const look = match(/^\?[=!]/)?.[0];
    const isGroup = look !== undefined || match(/^\?(?::|<[^=!>][^>]*>)/) !== null || pattern[at] !== '?';
    if (!isGroup || depth === MAX_DEPTH) {
      unknown.push(pattern.slice(at));
      at = pattern.length;
    }
    depth++;
    const body = choice();
    depth--;
    at++;
    return look === undefined ? body : { kind: 'look', isWanted: look === '?=', body };
  };
  const characterClass = (): Ranges => {
    const isNegated = take('^');
    const ranges: (readonly [number, number])[] = [];
    while (at < pattern.length && !take(']')) {
      const from = characters(true);
      const isRange = pattern[at] === '-' && pattern[at + 1] !== ']' && at + 1 < pattern.length;
      if (isRange) at++;
      const to = isRange ? characters(true) : [];
      const [low, high] = [from[0]?.[0], to[0]?.[0]];
      if (isRange && isSingle(from) && isSingle(to) && low !== undefined && high !== undefined)
        ranges.push([low, high]);
      else ranges.push(...from, ...to, ...(isRange ? ([[0x2d, 0x2d]] as const) : []));
    }
    return isNegated ? complementOf(ranges) : ranges;
  };
  /** What one character or escape takes. */
  const characters = (isInClass: boolean): Ranges => {
    const char = pattern.charCodeAt(at++);
    if (char !== 0x5c) return [[char, char]];
    const code = match(/^(?:x([0-9a-f]{2})|u([0-9a-f]{4}))/i);
    if (code !== null) return single(Number.parseInt(code[1] ?? code[2] ?? '', 16));
    const escaped = pattern[at++] ?? '';
    if (/[0-9kc]/.test(escaped)) {
      if (escaped === '0' && !/[0-9]/.test(pattern[at] ?? '')) return single(0);
      unknown.push(escaped);
      return ANY;
    }
    if (isInClass && escaped === 'b') return single(8);
    return CLASSES[escaped] ?? single(CONTROLS[escaped] ?? escaped.charCodeAt(0));
  };

  const part = choice();
  return unknown.length === 0 && at === pattern.length ? part : null;
}

function single(unit: number): Ranges {
  return [[unit, unit]];
}

function isSingle(ranges: Ranges): boolean {
  const [first, ...others] = ranges;
  return first !== undefined && others.length === 0 && first[0] === first[1];
}
