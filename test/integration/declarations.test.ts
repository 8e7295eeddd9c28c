/* A user's project compiles against the built declarations, with nothing installed but what comes with the package. */
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
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
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const root = join(import.meta.dirname, '../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-user-')));

/** The packages at the top of node_modules that an install of this one brings, without what only we develop with. */
function installedPaths(): string[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)));
}

function writeProject(compilerOptions: Readonly<Record<string, unknown>>): void {
  const options = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    // Links stand for packages that are installed here: what lies beside their targets is not.
    preserveSymlinks: true,
    ...compilerOptions,
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['task.ts'] }),
  );
}

async function typeCheck(compiler: string): Promise<string[]> {
  const tsc = join(root, 'node_modules', compiler, 'bin/tsc');
  try {
    await promisify(execFile)(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], { cwd: folder });
    return [];
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n').filter((line) => line !== '');
  }
}

const TASK = `import { createAgent, defineTool, openSessions, orchestrate, type RunResult } from 'sortie';
import { given, ManualClock, ScriptedProvider } from 'sortie/testing';
import { z } from 'zod';

export const shout = defineTool({
  name: 'shout',
  description: 'Says it loudly.',
  input: z.object({ text: z.string() }),
  costHint: 1,
  effect: 'read',
  run: ({ text }) => Promise.resolve(text.toUpperCase()),
});
const result: RunResult = await orchestrate({ task: 'task.yaml' });
// @ts-expect-error: an option that does not exist
void orchestrate({ tusk: 'task.yaml' });
export const all = [result.status, createAgent, openSessions, given, ManualClock, ScriptedProvider];
`;

beforeAll(() => {
  for (const path of installedPaths()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
  const own = join(folder, 'node_modules/sortie');
  mkdirSync(own);
  symlinkSync(join(root, 'dist'), join(own, 'dist'));
  copyFileSync(join(root, 'package.json'), join(own, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'task.ts'), TASK);
});

// A compiler reads all declarations, those of the packages too.
vi.setConfig({ testTimeout: 120_000 });

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.each(['typescript', 'typescript-7'])('a user of %s', (compiler) => {
  it('needs the types of no package that does not come with it', async () => {
    expect(readdirSync(join(folder, 'node_modules/@types'))).toEqual(['node']);
    writeProject({});
    expect(await typeCheck(compiler)).toEqual([]);
  });

  it('compiles in a project of a bundler, with every strictness that there is', async () => {
    writeProject({
      module: 'esnext',
      moduleResolution: 'bundler',
      lib: ['es2023', 'dom'],
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
    });
    expect(await typeCheck(compiler)).toEqual([]);
  });
});
