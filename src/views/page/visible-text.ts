/** Characters that are not seen, or that turn the direction of what follows: a text could pass for another with them. */
const HIDDEN = /[\p{Cf}\u115f\u1160\u3164\uffa0\u2028\u2029]|[^\P{Cc}\t\n]/gu;

/** A text in which characters that nobody would see are written as `⟨U+202E⟩`. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
