import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refreshBlocks, renderImportTable } from '../../../scripts/docs/blocks.mjs';
import { IMPORT_TABLE } from '../../../scripts/lint-rules.mjs';

const root = join(import.meta.dirname, '../../..');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** The rows of a Markdown table by what stands in their first cell, one entry for each name in it. */
function readTable(markdown: string): Record<string, string> {
  const rows = markdown.matchAll(/^\| (`.+?)\s*\| (.+?)\s*\|$/gm);
  return Object.fromEntries(
    [...rows].flatMap(([, names = '', cell = '']) =>
      names.split(', ').map((name) => [name.replaceAll('`', ''), cell.replaceAll('`', '')]),
    ),
  );
}

describe('generated parts of pages', () => {
  it('say of every folder what the lint rule says', () => {
    const part = /<!-- generated: import-table -->([^]*?)<!-- end -->/.exec(contributing)?.[1] ?? '';
    expect(readTable(part)).toEqual(
      Object.fromEntries(
        Object.entries(IMPORT_TABLE).map(([folder, row]) => [folder, [row].flat().join(', ') || '–']),
      ),
    );
    expect(readTable(renderImportTable())).toEqual(readTable(part));
  });

  it('are replaced, and nothing else is', () => {
    const page = 'before\n<!-- generated: import-table -->\nstale\n<!-- end -->\nafter\n';
    const refreshed = refreshBlocks(page, root);
    expect(refreshed).toMatch(
      /^before\n<!-- generated: import-table -->\n\n\|[^]*\|\n\n<!-- end -->\nafter\n$/,
    );
    expect(refreshed).not.toContain('stale');
  });

  it('are known by name', () => {
    expect(() => refreshBlocks('<!-- generated: nothing -->\n<!-- end -->', root)).toThrow('"nothing"');
  });

  it('list every decision', () => {
    const refreshed = refreshBlocks('<!-- generated: decisions -->\n<!-- end -->', root);
    const files = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
    expect([...refreshed.matchAll(/\]\((.+?)\)/g)].map(([, file]) => file)).toEqual(files.sort());
  });
});

describe('the folder map', () => {
  it('names everything in src/, and nothing that is not to be there', () => {
    const mapped = [...contributing.matchAll(/^\| `(src\/[\w.-]+)\/?`/gm)].map(([, path = '']) => path);
    const planned = Object.keys(IMPORT_TABLE).map((folder) => `src/${folder}`);
    expect(mapped.filter((path) => !planned.includes(path.replace(/\.ts$/, '')))).toEqual([]);
    const present = readdirSync(join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isFile() || readdirSync(join(root, 'src', entry.name)).length > 0)
      .map(({ name }) => `src/${name}`);
    // compose/ and testing/ belong to the files of the same name.
    expect(present.filter((path) => !mapped.includes(path) && !mapped.includes(`${path}.ts`))).toEqual([]);
  });
});
