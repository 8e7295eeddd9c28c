// The generated parts of pages that people write: <!-- generated: name --> … <!-- end -->.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_TABLE } from '../lint-rules.mjs';

/**
 * The page with its generated parts as they should be; throws for a part that nothing generates.
 * @param {string} markdown
 * @param {string} root
 */
export function refreshBlocks(markdown, root) {
  return markdown.replace(
    /<!-- generated: ([\w-]+) -->\n[^]*?<!-- end -->/g,
    (_whole, /** @type {string} */ name) => {
      const render = BLOCKS[name];
      if (render === undefined) throw new Error(`nothing generates the part "${name}"`);
      return `<!-- generated: ${name} -->\n\n${render(root)}\n\n<!-- end -->`;
    },
  );
}

/** @type {Record<string, (root: string) => string>} */
const BLOCKS = { 'import-table': renderImportTable, decisions: renderDecisions };

/** The table that ESLint enforces, for people; rows that are alike stand together. */
export function renderImportTable() {
  /** @type {Map<string, string[]>} */
  const rows = new Map();
  for (const [folder, allowed] of Object.entries(IMPORT_TABLE)) {
    const text = typeof allowed === 'string' ? allowed : allowed.map(code).join(', ') || '–';
    rows.set(text, [...(rows.get(text) ?? []), code(folder)]);
  }
  return [
    '| folder or file | may import |',
    '| --- | --- |',
    ...[...rows].map(([allowed, folders]) => `| ${folders.join(', ')} | ${allowed} |`),
  ].join('\n');
}

/** @param {string} root */
function renderDecisions(root) {
  const folder = join(root, 'docs/decisions');
  return readdirSync(folder)
    .filter((name) => /^\d{4}-.+\.md$/.test(name))
    .sort()
    .map((name) => {
      const title = /^# (.+)$/m.exec(readFileSync(join(folder, name), 'utf8'))?.[1];
      if (title === undefined) throw new Error(`docs/decisions/${name} has no title`);
      return `- [${title}](${name})`;
    })
    .join('\n');
}

/** @param {string} name */
function code(name) {
  return `\`${name}\``;
}
