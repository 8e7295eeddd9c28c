/** Control characters but for tabs and line breaks, and what is there but not seen: directions, joiners, tags. */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}\u{e0100}-\u{e01ef}]/gu;

/** A text of a server without what a person would not see in it. */
export function cleanText(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd').replace(UNSEEN, '');
}

/** Whether a text has nothing in it that a person would not see. */
export function isCleanText(text: string): boolean {
  return cleanText(text) === text;
}

/** A text of a server for a message: on one line, in quotes, not too long. */
export function quoteText(text: string, maxChars = 120): string {
  const line = cleanText(text).replace(/\s+/g, ' ');
  return JSON.stringify(line.length > maxChars ? `${line.slice(0, maxChars)}…` : line);
}
