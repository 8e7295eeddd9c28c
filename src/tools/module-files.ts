import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';

/** More files than this are no task's own code. */
const MOST_FILES = 500;
const MOST_BYTES = 1024 * 1024;

const SCRIPT = /^\.[cm]?[jt]sx?$/;
const ENDINGS = ['', '.ts', '.mts', '.cts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];

/** What follows `from`, `import`, `import(` and `require(`, where it names a file beside the module. */
const SPECIFIER = /\b(?:from|import|require)\s*\(?\s*(["'`])(\.{1,2}\/[^"'`\n]*|\.{1,2})\1/g;

/** A module and every file that it imports by a path beside it, and so on, as far as their text says; absolute paths. */
export async function moduleFiles(modules: readonly string[]): Promise<string[]> {
  const found = new Set(modules);
  for (const file of found) {
    if (found.size >= MOST_FILES) break;
    for (const imported of await importsOf(file)) found.add(imported);
  }
  return [...found];
}

async function importsOf(file: string): Promise<string[]> {
  if (!SCRIPT.test(extname(file)) || !(await isFile(file, MOST_BYTES))) return [];
  const text = await readFile(file, 'utf8').catch(() => '');
  const specifiers = new Set([...text.matchAll(SPECIFIER)].map(([, , specifier = '']) => specifier));
  const files = await Promise.all(
    [...specifiers].map((specifier) => resolveFile(join(dirname(file), specifier))),
  );
  return files.filter((each) => each !== null);
}

/** The file that an import means; a name in `.js` may stand for a source in `.ts`. */
async function resolveFile(path: string): Promise<string | null> {
  const source = path.replace(/\.([cm]?)js$/, '.$1ts');
  for (const candidate of [...ENDINGS.map((ending) => path + ending), source])
    if (await isFile(candidate)) return candidate;
  return null;
}

function isFile(path: string, mostBytes = Infinity): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile() && stats.size <= mostBytes,
    () => false,
  );
}
