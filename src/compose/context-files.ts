import { readFile, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

/** Names of files in which people tell agents about the work at hand; of a folder all that are there, in this order. */
const NAMES = ['AGENTS.md', 'CLAUDE.md', '.cursorrules'];

/** How far up files are looked for where no repository ends the way. */
const MOST_FOLDERS = 16;

/**
 * The context files that hold for a folder, nearest first: its own, then those above it up to the root of its repository;
 * only its own where it is in none. At most `limitChars` of each are read.
 */
export async function readContextFiles(
  folder: string,
  limitChars: number,
): Promise<{ readonly name: string; readonly text: string }[]> {
  if (limitChars < 1) return [];
  const found: { name: string; text: string }[] = [];
  for (const each of await foldersOf(folder)) {
    for (const name of NAMES) {
      const text = await readFile(join(each, name), 'utf8').catch(() => '');
      if (text.trim() === '') continue;
      found.push({ name: relative(folder, join(each, name)), text: text.slice(0, limitChars) });
    }
  }
  return found;
}

async function foldersOf(folder: string): Promise<string[]> {
  const folders: string[] = [];
  for (let each = folder; folders.length < MOST_FOLDERS; each = dirname(each)) {
    folders.push(each);
    const isRoot = await stat(join(each, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return folders;
    if (dirname(each) === each) break;
  }
  return [folder];
}
