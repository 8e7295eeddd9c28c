import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ESLint } from 'eslint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConfig } from '../../eslint.config.js';
import { IMPORT_TABLE } from '../../scripts/lint-rules.mjs';

/** What lies in the scratch tree for the cases to import. */
const TREE: Record<string, string> = {
  'src/flight/file-log.ts': 'export const log = 1;\nexport type Log = number;\n',
  'src/flight/events.ts': 'export const event = 1;\n',
  'src/tools/load.ts': 'export const load = 1;\n',
  'src/cli/options.ts': 'export const option = 1;\n',
  'src/index.ts': "export { log } from './flight/file-log.ts';\n",
  'src/run/circle-a.ts': "import { b } from './circle-b.ts';\nexport const a = (): number => b();\n",
  'src/run/circle-b.ts': "import { a } from './circle-a.ts';\nexport const b = (): number => a();\n",
  'test/helper.ts': 'export const help = 1;\n',
};

/** A file and the one rule that it breaks; without a rule it breaks none. */
interface Case {
  readonly path: string;
  readonly code: string;
  readonly rule?: string;
}

const TABLE = 'sortie/import-table';
const SYNTAX = 'no-restricted-syntax';
const GLOBALS = 'no-restricted-globals';

const CASES: readonly Case[] = [
  // The import table.
  { path: 'src/kernel/a1.ts', code: "export { log } from '../flight/file-log.ts';", rule: TABLE },
  { path: 'src/kernel/a2.ts', code: "export type { Log } from '../flight/file-log.ts';", rule: TABLE },
  { path: 'src/kernel/a3.ts', code: "export type A = import('../flight/file-log.ts').Log;", rule: TABLE },
  { path: 'src/engine/a4.ts', code: "export { load } from '../tools/load.ts';", rule: TABLE },
  { path: 'src/engine/a5.ts', code: "export const a = () => import('../tools/load.ts');", rule: TABLE },
  { path: 'src/engine/a6.ts', code: "export { log } from '../flight/file-log.ts';" },
  { path: 'src/tools/a7.ts', code: "export { load } from './load.ts';" },
  { path: 'src/tools/a8.ts', code: "export { help } from '../../test/helper.ts';", rule: TABLE },
  { path: 'src/tools/a9.ts', code: "import { a } from 'sortie';\nexport const b: unknown = a;", rule: TABLE },
  { path: 'src/elsewhere/a10.ts', code: "export { load } from '../tools/load.ts';", rule: TABLE },
  { path: 'src/compose.ts', code: "export { load } from './tools/load.ts';" },
  { path: 'src/testing.ts', code: "export { option } from './cli/options.ts';", rule: TABLE },
  { path: 'src/cli/a11.ts', code: "export { log } from '../index.ts';" },
  { path: 'src/cli/a12.ts', code: "export { log } from '../flight/file-log.ts';", rule: TABLE },
  {
    path: 'bench/a13.ts',
    code: "export { option } from '../src/cli/options.ts';",
    rule: 'no-restricted-imports',
  },

  // The pure zone: what it may import.
  { path: 'src/run/b1.ts', code: "export { log } from '../flight/file-log.ts';", rule: TABLE },
  { path: 'src/run/b2.ts', code: "export type { Log } from '../flight/file-log.ts';" },
  { path: 'src/run/b3.ts', code: "export { event } from '../flight/events.ts';" },
  { path: 'src/flight/codec-b4.ts', code: "export { log } from './file-log.ts';", rule: TABLE },
  { path: 'src/dag/b5.ts', code: "export { readFileSync } from 'node:fs';", rule: TABLE },
  { path: 'src/dag/b6.ts', code: "export { readFileSync } from 'fs';", rule: TABLE },
  { path: 'src/dag/b7.ts', code: "export { default } from 'p-queue';", rule: TABLE },
  { path: 'src/dag/b8.ts', code: "export { z } from 'zod';" },
  { path: 'src/kernel/hash.ts', code: "export { createHash } from 'node:crypto';" },
  { path: 'src/kernel/b9.ts', code: "export { createHash } from 'node:crypto';", rule: TABLE },
  { path: 'src/tracer/spans-b10.ts', code: "export { hostname } from 'node:os';", rule: TABLE },
  { path: 'src/tracer/otel.ts', code: "export { hostname } from 'node:os';" },

  // The pure zone: what it may use.
  { path: 'src/contracts/c1.ts', code: 'export const a = (): number => Date.now();', rule: GLOBALS },
  { path: 'src/budget/c2.ts', code: 'export const a = (b: () => void) => setTimeout(b, 1);', rule: GLOBALS },
  { path: 'src/planner/c3.ts', code: "export const a = process.env['A'];", rule: GLOBALS },
  { path: 'src/worker/c4.ts', code: "export const a = () => fetch('b');", rule: GLOBALS },
  { path: 'src/critic/c5.ts', code: 'export const a = Math.random();', rule: 'no-restricted-properties' },
  {
    path: 'src/agent/c6.ts',
    code: 'export async function a(b: Promise<void>) {\n  await b;\n}',
    rule: SYNTAX,
  },
  { path: 'src/run/c7.ts', code: 'export const a = new Promise(() => 1);', rule: SYNTAX },
  { path: 'src/flight/events-c8.ts', code: 'export const a = Promise.resolve(1);', rule: SYNTAX },
  { path: 'src/engine/c9.ts', code: 'export const a = (): number => Date.now() + Math.random();' },

  // Everywhere.
  { path: 'src/tools/d1.ts', code: "export * from './load.ts';", rule: SYNTAX },
  { path: 'src/kernel/d2.ts', code: "export * from './hash.ts';", rule: SYNTAX },
  { path: 'src/tools/d3.ts', code: 'export const utils = 1;', rule: 'id-denylist' },
  { path: 'src/tools/utils.ts', code: 'export const a = 1;', rule: 'sortie/file-name' },
  { path: 'src/tools/index.ts', code: 'export const a = 1;', rule: 'sortie/file-name' },
  { path: 'src/tools/camelCase.ts', code: 'export const a = 1;', rule: 'sortie/file-name' },
  {
    path: 'src/tools/d4.ts',
    code: `export const a = [\n${'1,\n'.repeat(299)}];`,
    rule: 'max-lines',
  },
  {
    path: 'src/tools/d5.ts',
    code: 'declare function a(): Promise<void>;\nexport function b(): void {\n  a();\n}',
    rule: '@typescript-eslint/no-floating-promises',
  },
  {
    path: 'src/tools/d6.ts',
    code: "export function a(b: 'x' | 'y'): void {\n  switch (b) {\n    case 'x':\n      break;\n  }\n}",
    rule: '@typescript-eslint/switch-exhaustiveness-check',
  },
  {
    path: 'src/tools/d7.ts',
    code: "export function a(b: 'x' | 'y'): void {\n  switch (b) {\n    case 'x':\n    case 'y':\n      break;\n    default:\n  }\n}",
    rule: '@typescript-eslint/switch-exhaustiveness-check',
  },
];

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-lint-')));
const rulesByPath = new Map<string, string[]>();

beforeAll(async () => {
  for (const { path, code } of [...CASES, ...Object.entries(TREE).map(([path, code]) => ({ path, code }))]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), code);
  }
  const project = join(import.meta.dirname, '../..');
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({ extends: join(project, 'tsconfig.json'), include: ['src', 'test', 'bench'] }),
  );
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
  const eslint = new ESLint({ cwd: root, overrideConfigFile: true, overrideConfig: createConfig(root) });
  for (const { filePath, messages } of await eslint.lintFiles(['src', 'test', 'bench'])) {
    rulesByPath.set(
      relative(root, filePath),
      messages.map(({ ruleId, message }) => ruleId ?? message),
    );
  }
}, 120_000);

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('lint rules', () => {
  it.each(CASES)('$path ($rule)', ({ path, rule }) => {
    expect([...new Set(rulesByPath.get(path))]).toEqual(rule === undefined ? [] : [rule]);
  });

  it('finds an import cycle', () => {
    expect(rulesByPath.get('src/run/circle-a.ts')).toEqual(['import-x/no-cycle']);
  });

  it('has a row for every folder that a row names', () => {
    const named = Object.values(IMPORT_TABLE).flatMap((row) => (typeof row === 'string' ? [] : row));
    expect(named.filter((folder) => !Object.hasOwn(IMPORT_TABLE, folder))).toEqual([]);
  });
});
