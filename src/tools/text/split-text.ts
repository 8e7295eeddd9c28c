/** Where a text is best parted, the best place first. */
const SEAMS = ['\n\n', '\n', '. ', ' '];

/** The text in parts of at most `maxChars`, parted between paragraphs, lines, sentences or words where that is possible. */
export function splitText(text: string, maxChars: number): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > maxChars) {
    const end = from + seamOf(text.slice(from, from + maxChars), maxChars);
    parts.push(text.slice(from, end));
    from = end;
  }
  parts.push(text.slice(from));
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** A part should not become much shorter for the sake of a better place. */
function seamOf(window: string, maxChars: number): number {
  for (const seam of SEAMS) {
    const index = window.lastIndexOf(seam);
    if (index > 0 && index + seam.length > maxChars / 2) return index + seam.length;
  }
  const last = window.charCodeAt(window.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? window.length - 1 : window.length;
}
