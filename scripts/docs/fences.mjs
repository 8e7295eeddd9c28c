// The fenced blocks of a Markdown page: where each stands, its language and the file name behind it.

/**
 * `name` is the file that the block stands for (written behind its language), or empty. `start` and `end` are the
 * offsets of the text, its last line break included.
 * @typedef {{ language: string, name: string, text: string, line: number, start: number, end: number }} Fence
 */

/**
 * The fenced blocks of a page, in order; only those that begin at the start of a line.
 * @param {string} markdown
 * @returns {Fence[]}
 */
export function readFences(markdown) {
  const fences = [];
  /** @type {{ ticks: string, language: string, name: string, line: number, start: number } | null} */
  let open = null;
  let offset = 0;
  for (const [index, text] of markdown.split('\n').entries()) {
    const next = offset + text.length + 1;
    const [, ticks = '', info = ''] = /^(`{3,})(.*)$/.exec(text) ?? [];
    if (open !== null) {
      if (ticks.length >= open.ticks.length && info.trim() === '') {
        const { language, name, line, start } = open;
        fences.push({ language, name, line, start, end: offset, text: markdown.slice(start, offset) });
        open = null;
      }
    } else if (ticks !== '') {
      const [language = '', name = ''] = info.trim().split(/\s+/);
      open = { ticks, language, name, line: index + 1, start: next };
    }
    offset = next;
  }
  if (open !== null) throw new Error(`the block of line ${String(open.line)} is not closed`);
  return fences;
}

/**
 * The page with the text of some of its blocks replaced.
 * @param {string} markdown
 * @param {ReadonlyMap<Fence, string>} texts
 */
export function replaceFences(markdown, texts) {
  let result = markdown;
  for (const [fence, text] of [...texts].sort(([a], [b]) => b.start - a.start)) {
    result = result.slice(0, fence.start) + text + result.slice(fence.end);
  }
  return result;
}

/**
 * The page with everything in blocks and code spans blanked, line by line, for what reads prose.
 * @param {string} markdown
 */
export function withoutCode(markdown) {
  const blank = new Map(readFences(markdown).map((fence) => [fence, fence.text.replace(/[^\n]/g, '')]));
  return replaceFences(markdown, blank).replace(/`[^`\n]+`/g, '');
}
