/*
 * Unicode properties make an expression a hundred times dearer to compile, which a short process pays for each. Most
 * texts have no letter beyond Latin-1 and need only what the properties hold there.
 */

/** What the properties in use hold up to U+00FF, as the inside of a character class. */
const IN_LATIN1: Readonly<Record<string, string>> = {
  L: String.raw`A-Za-z\xaa\xb5\xba\xc0-\xd6\xd8-\xf6\xf8-\xff`,
  Lu: String.raw`A-Z\xc0-\xd6\xd8-\xde`,
  Lo: String.raw`\xaa\xba`,
  M: '',
  N: String.raw`0-9\xb2\xb3\xb9\xbc-\xbe`,
  Nd: '0-9',
  'sc=Han': '',
  'sc=Hiragana': '',
  'sc=Katakana': '',
  'sc=Hangul': '',
  'sc=Thai': '',
  'sc=Lao': '',
  'sc=Khmer': '',
  'sc=Myanmar': '',
};

const PART = /\\p\{([^}]*)\}|\\P\{|\\[^]|[[\]]/g;

/** Whether a text has no character beyond U+00FF. */
export function isLatin1(text: string): boolean {
  return !/[\u0100-\uffff]/.test(text);
}

/** The source of an expression (flag `u`, without `i`) that matches in texts of Latin-1 what this one matches there. */
export function latin1Source(source: string): string {
  let isInClass = false;
  return source.replace(PART, (part, property: string | undefined) => {
    if (property !== undefined) {
      const inside = IN_LATIN1[property];
      if (inside === undefined) throw new RangeError(`no Latin-1 letters are known of ${part}`);
      return isInClass ? inside : `[${inside}]`;
    }
    if (part === String.raw`\P{`) throw new RangeError(`no Latin-1 letters are known of ${part}`);
    if (part === '[') isInClass = true;
    else if (part === ']') isInClass = false;
    return part;
  });
}

/**
 * Gives the expression for a text: of two that match alike in it the one that is cheaper to compile, made once. The same
 * text asked about again and again, at each of its places, is looked through once.
 */
export function textPattern(source: string, flags: string): (text: string) => RegExp {
  let latin1: RegExp | undefined;
  let unicode: RegExp | undefined;
  let last = '';
  let isPlain = true;
  return (text) => {
    if (text !== last) isPlain = isLatin1(text);
    last = text;
    return isPlain
      ? (latin1 ??= new RegExp(latin1Source(source), flags))
      : (unicode ??= new RegExp(source, flags));
  };
}
