import { isLatin1, textPattern } from '../kernel/text-pattern.ts';

/** The cosine of two vectors of unit length. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** Punctuation, arrows and mathematical signs: no part of a word, and common in texts that are of Latin-1 else. */
const SIGNS = /[\u2000-\u206f\u2190-\u23ff]/g;
/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const HAN = /\p{sc=Han}/u;
/** Numbers keep their points, so that `1.4` is one word; everything else is letters, marks and digits. */
const WORD = textPattern(String.raw`\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{M}\p{N}]+`, 'gu');

/**
 * The words of a text, each once, in lower case; where a script has no spaces between them, each pair of neighbouring
 * characters, and each character that can be a word: one of Han, or one that stands alone.
 */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  const plain = text.normalize('NFKC').toLowerCase().replace(SIGNS, ' ');
  const spaced = isLatin1(plain) ? plain : addUnspaced(plain, words);
  for (const [word] of spaced.matchAll(WORD(spaced))) words.add(word);
  return words;
}

/** Adds the words of scripts without spaces, and gives the text without them. */
function addUnspaced(text: string, words: Set<string>): string {
  return text.replace(UNSPACED, (run) => {
    const characters = Array.from(run);
    if (characters.length === 1) words.add(run);
    for (const character of characters) if (HAN.test(character)) words.add(character);
    for (let index = 1; index < characters.length; index++) {
      words.add(`${characters[index - 1] ?? ''}${characters[index] ?? ''}`);
    }
    return ' ';
  });
}

/** The Jaccard index of two sets: what they share over what they hold, 0 where both are empty. */
export function jaccard<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  let shared = 0;
  for (const item of a) if (b.has(item)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 0 : shared / all;
}

/** The words of a text as 32-bit hashes: what the indexes hold, in a fortieth of the room. */
export function wordHashesOf(text: string): Uint32Array {
  const hashes = new Set<number>();
  for (const word of wordsOf(text)) hashes.add(hashWord(word));
  return Uint32Array.from(hashes);
}

/** FNV-1a, finished by mixing, since words of a few letters differ in few bits. */
function hashWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) {
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
