/*
 * Where a JSON document in a text begins and ends, read leniently (comments, single and curly quotes) but without
 * guessing: what only a guess could mend is a fault. On a valid document nothing lenient can occur.
 */

/** A place in a text, and what is wrong there. */
export interface JsonFault {
  readonly offset: number;
  readonly what: string;
}

/** A document from its opening bracket to the one that closes it. */
export interface JsonSpan {
  readonly start: number;
  /** Offset behind the closing bracket; -1 where the text ends before it. */
  readonly end: number;
  /** Objects and arrays in it. */
  readonly containers: number;
  /** Colons outside strings: in a valid document, its members. */
  readonly members: number;
  /** True where something was left out: `...` outside strings. */
  readonly isElided: boolean;
  /** The first thing that no repair of the syntax alone can mend. */
  readonly fault: JsonFault | null;
}

const MAX_DEPTH = 512;
const [QUOTE, APOSTROPHE, CURLY_QUOTE] = [0x22, 0x27, 0x201c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
const [COLON, COMMA, SLASH, DOT, PLUS, ELLIPSIS] = [0x3a, 0x2c, 0x2f, 0x2e, 0x2b, 0x2026];
const STRING_OPENERS: ReadonlySet<number> = new Set([COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, PLUS, QUOTE]);
const WORD = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;

/** Reads from an opening bracket to the one that closes it. */
export function scanJson(text: string, start: number): JsonSpan {
  const closers: number[] = [];
  let [containers, members, offset, before] = [0, 0, start, 0];
  let isElided = false;
  let isSpaced = false;
  let fault: JsonFault | null = null;
  const blame = (what: string): void => {
    fault ??= { offset, what };
  };
  const span = (end: number): JsonSpan => ({ start, end, containers, members, isElided, fault });

  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (isSpace(code)) {
      isSpaced = true;
      offset++;
      continue;
    }
    if (before === QUOTE && !mayFollowString(code, isSpaced))
      blame('a quote inside a string that is not escaped');
    switch (code) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        containers++;
        if (closers.push(code === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET) > MAX_DEPTH) {
          blame(`nested deeper than ${MAX_DEPTH} levels`);
          return span(-1);
        }
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (closers.at(-1) !== code) blame(`${text.charAt(offset)} where ${closerName(closers)} is expected`);
        if (closers.includes(code)) while (closers.pop() !== code);
        if (closers.length === 0) return span(offset + 1);
        break;
      case COLON:
        members++;
        break;
      case QUOTE:
      case APOSTROPHE:
      case CURLY_QUOTE: {
        if (!mayOpenString(before, isSpaced)) blame('a quote that opens no string');
        const end = endOfString(text, offset);
        if (end < 0) return span(-1);
        offset = end;
        before = QUOTE;
        isSpaced = false;
        continue;
      }
      case SLASH: {
        const end = endOfComment(text, offset);
        if (end > offset) {
          if (/^\W*(\.{3}|…)/.test(text.slice(offset, Math.min(end, offset + 16)))) isElided = true;
          offset = end;
          isSpaced = true;
          continue;
        }
        break;
      }
      case ELLIPSIS:
        isElided = true;
        break;
      case DOT:
        if (text.startsWith('...', offset)) isElided = true;
        break;
    }
    before = code;
    isSpaced = false;
    offset++;
  }
  return span(-1);
}

/**
 * True where a bracket opens a JSON document as far as can be told: a brace before a key and its colon, a bracket
 * before an object or a string. Also where the text ends before it can be told. Brackets in prose are none.
 */
export function opensJson(text: string, start: number): boolean {
  let offset = start;
  while (text.charCodeAt(offset) === OPEN_BRACKET) offset = skipBlank(text, offset + 1);
  if (offset >= text.length) return true;
  const isList = offset > start;
  const code = text.charCodeAt(offset);
  if (isList && isQuote(code)) return true;
  if (code !== OPEN_BRACE) return false;

  const key = skipBlank(text, offset + 1);
  if (key >= text.length || text.charCodeAt(key) === CLOSE_BRACE) return true;
  const end = isQuote(text.charCodeAt(key)) ? endOfString(text, key) : endOfWord(text, key);
  if (end < 0) return isQuote(text.charCodeAt(key));
  const next = skipBlank(text, end);
  return next >= text.length || text.charCodeAt(next) === COLON;
}

/** Line and column (1-based) of an offset, as people read it. */
export function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split('\n').length}, column ${offset - before.lastIndexOf('\n')}`;
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0xa0 || code === 0xfeff;
}

function isQuote(code: number): boolean {
  return code === QUOTE || code === APOSTROPHE || code === CURLY_QUOTE;
}

/** A string stands apart, or follows a bracket, comma, colon or plus: `it's` opens none. */
function mayOpenString(before: number, isSpaced: boolean): boolean {
  return isSpaced || STRING_OPENERS.has(before);
}

function mayFollowString(code: number, isSpaced: boolean): boolean {
  return (
    code === COMMA ||
    code === COLON ||
    code === CLOSE_BRACE ||
    code === CLOSE_BRACKET ||
    code === PLUS ||
    code === SLASH ||
    (isSpaced && isQuote(code))
  );
}

function closerName(closers: readonly number[]): string {
  return String.fromCharCode(closers.at(-1) ?? CLOSE_BRACE);
}

/** Offset behind the quote that closes the string; -1 where none does. */
function endOfString(text: string, start: number): number {
  const opener = text.charCodeAt(start);
  const closer = opener === CURLY_QUOTE ? '\u201d' : text.charAt(start);
  let end = text.indexOf(closer, start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf(closer, end + 1);
  return end < 0 ? -1 : end + 1;
}

function isEscaped(text: string, offset: number): boolean {
  let first = offset;
  while (text.charCodeAt(first - 1) === 0x5c) first--;
  return (offset - first) % 2 === 1;
}

/** Offset behind a comment; the same offset where none begins (a URL that is not quoted holds none). */
function endOfComment(text: string, start: number): number {
  const next = text.charCodeAt(start + 1);
  if (next === SLASH && text.charCodeAt(start - 1) !== COLON) {
    const end = text.indexOf('\n', start);
    return end < 0 ? text.length : end;
  }
  if (next === 0x2a) {
    const end = text.indexOf('*/', start + 2);
    return end < 0 ? text.length : end + 2;
  }
  return start;
}

function skipBlank(text: string, start: number): number {
  let offset = start;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (isSpace(code)) offset++;
    else if (code === SLASH) {
      const end = endOfComment(text, offset);
      if (end === offset) return offset;
      offset = end;
    } else return offset;
  }
  return offset;
}

function endOfWord(text: string, start: number): number {
  WORD.lastIndex = start;
  return WORD.test(text) ? WORD.lastIndex : -1;
}
