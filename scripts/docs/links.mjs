// Whether the links of the pages lead somewhere.
import { dirname, join, normalize } from 'node:path';
import { withoutCode } from './fences.mjs';

/**
 * What is wrong with the links of some pages: files and headings that do not exist, and pages of docs/ that cannot
 * be reached from its README.
 * @param {ReadonlyMap<string, string>} pages Markdown by path from the root
 * @param {(path: string) => boolean} exists whether there is such a file or folder
 * @returns {string[]}
 */
export function linkProblems(pages, exists) {
  const problems = [];
  const reached = new Set(['docs/README.md']);
  for (const [path, markdown] of pages) {
    for (const { target, line } of readLinks(markdown)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const to = file === '' ? path : normalize(join(dirname(path), file));
      if (path.startsWith('docs/') && path !== to) reached.add(to);
      const page = pages.get(to);
      if (page === undefined && !exists(to)) problems.push(`${path}:${String(line)}: there is no ${to}`);
      else if (anchor !== undefined && page !== undefined && !anchorsOf(page).has(anchor)) {
        problems.push(`${path}:${String(line)}: ${to} has no heading #${anchor}`);
      }
    }
  }
  for (const path of pages.keys()) {
    if (path.startsWith('docs/') && !reached.has(path)) problems.push(`${path}: no page of docs/ links here`);
  }
  return problems;
}

/**
 * @param {string} markdown
 * @returns {{ target: string, line: number }[]}
 */
function readLinks(markdown) {
  return withoutCode(markdown)
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => ({ target, line: index + 1 })),
    );
}

/**
 * The anchors that GitHub gives the headings of a page, and those that the page itself sets.
 * @param {string} markdown
 */
function anchorsOf(markdown) {
  const anchors = new Set([...markdown.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id));
  for (const heading of withoutFences(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = (heading[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${String(count)}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** @param {string} markdown */
function withoutFences(markdown) {
  return markdown.replace(/^(`{3,})[^\n]*\n[^]*?^\1`*$/gm, '');
}
