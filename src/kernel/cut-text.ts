/**
 * The text, or a prefix of it that ends in `… [cut: 12345 characters]`: at most `limit` UTF-16 code units in all,
 * cut between code points. Where not even the marker fits, what fits is marked by `…` alone; at 0 it is empty.
 */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit < 1) return '';
  for (let digits = 1; digits <= String(text.length).length; digits++) {
    const kept = wholeCodePoints(text, limit - MARKER_LENGTH - digits);
    if (kept < 0) break;
    const count = String(text.length - kept);
    if (count.length <= digits) return `${text.slice(0, kept)}… [cut: ${count} characters]`;
  }
  return text.slice(0, wholeCodePoints(text, limit - 1)) + '…';
}

const MARKER_LENGTH = '… [cut:  characters]'.length;

/** The length of the longest prefix of at most `length` code units that does not part a surrogate pair. */
function wholeCodePoints(text: string, length: number): number {
  const last = length > 0 ? text.charCodeAt(length - 1) : 0;
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
