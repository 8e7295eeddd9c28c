/* The samples of the documentation hold to the types of the built library. */
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { readFences } from '../../scripts/docs/fences.mjs';

const root = join(import.meta.dirname, '../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-samples-')));

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function listPages(): string[] {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name}`,
  );
  return ['README.md', ...pages.filter((path) => path.endsWith('.md'))];
}

/** Writes the samples of a page into a folder of its own; the answer is how many are code. */
function writeSamples(page: string): number {
  const samples = readFences(readFileSync(join(root, page), 'utf8')).filter(({ name }) => name !== '');
  for (const { name, text } of samples) {
    const path = join(folder, page.replaceAll('/', '-'), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return samples.filter(({ name }) => /\.(ts|mjs)$/.test(name)).length;
}

async function typeCheck(): Promise<string> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: folder });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

function openProject(): void {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        noPropertyAccessFromIndexSignature: false,
        // Samples in JavaScript have no annotations.
        noImplicitAny: false,
        paths: {
          sortie: [join(root, 'dist/index.d.ts')],
          'sortie/testing': [join(root, 'dist/testing.d.ts')],
        },
      },
      include: ['**/*.ts', '**/*.mjs'],
      exclude: ['node_modules'],
    }),
  );
}

it('type-checks every sample of every page, and finds one that is wrong', async () => {
  openProject();
  const count = listPages().reduce((sum, page) => sum + writeSamples(page), 0);
  expect(count).toBeGreaterThan(10);
  writeFileSync(
    join(folder, 'wrong.ts'),
    "import { orchestrate } from 'sortie';\nvoid orchestrate({ tusk: 'a' });\n",
  );
  const lines = (await typeCheck()).split('\n').filter((line) => line !== '' && !line.startsWith(' '));
  expect(lines.filter((line) => !line.startsWith('wrong.ts'))).toEqual([]);
  expect(lines.some((line) => line.startsWith('wrong.ts(2,'))).toBe(true);
});

it('marks every block of code with the file that it is', () => {
  const nameless = listPages().flatMap((page) =>
    readFences(readFileSync(join(root, page), 'utf8'))
      .filter(({ language, name }) => ['ts', 'js', 'yaml', 'json'].includes(language) && name === '')
      .map(({ line }) => `${page}:${line}`),
  );
  expect(nameless).toEqual([]);
});
