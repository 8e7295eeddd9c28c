const ATX = /^ {0,3}#{1,6}(?=[ \t]|$)/;
const SETEXT = /^ {0,3}(?:=+|-+)[ \t]*$/;
const NO_PARAGRAPH = /^\s*(?:$|>|\||[-*+][ \t]|#{1,6}[ \t])/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The headings of a Markdown text: ATX (`#`), underlined, and lines that are bold only; none from code blocks. */
export function headingsOf(text: string): string[] {
  const headings: string[] = [];
  let fence: string | null = null;
  let before = '';
  for (const line of text.split(/\r\n|\r|\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) === true && line.trim() === mark) fence = null;
      continue;
    }
    if (mark !== undefined) fence = mark;
    else {
      const heading = headingIn(line, before);
      if (heading !== null) headings.push(heading);
    }
    before = mark === undefined ? line : '';
  }
  return headings;
}

function headingIn(line: string, before: string): string | null {
  const hashes = ATX.exec(line);
  if (hashes !== null) return line.slice(hashes[0].length).trim();
  if (SETEXT.test(line) && !NO_PARAGRAPH.test(before)) return before.trim();
  return boldText(line.trim());
}

/** What stands between the marks of a line that is bold as a whole, a colon or full stop after it allowed. */
function boldText(line: string): string | null {
  const end = line.endsWith(':') || line.endsWith('.') ? line.length - 1 : line.length;
  const mark = line.slice(0, 2);
  if ((mark !== '**' && mark !== '__') || end < 5 || line.slice(end - 2, end) !== mark) return null;
  const inner = line.slice(2, end - 2);
  return inner.includes(mark) ? null : inner;
}
