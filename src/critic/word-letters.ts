/**
 * Inside of a character class: scripts that are written without spaces, so that neighbours need not be one word, and
 * Hangul, whose particles follow a word directly.
 */
export const UNSPACED_SCRIPTS = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc`;

/** Pattern of a letter, or an underscore, that binds its neighbours into one word. */
export const BINDING_LETTER = String.raw`(?![${UNSPACED_SCRIPTS}])[\p{L}_]`;
