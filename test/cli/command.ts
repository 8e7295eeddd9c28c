import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

/** The task of the fixtures, whose plan comes from its inputs. */
export const SCRIPTED = fileURLToPath(new URL('../fixtures/cli/task.yaml', import.meta.url));

/** The example on real data. */
export const CITY_COMPARE = fileURLToPath(
  new URL('../../examples/city-compare/city-compare.yaml', import.meta.url),
);

/** How an invocation ended and what it wrote. */
export interface Ending {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ending>;
  /** What it has written up to now. */
  readonly written: Readonly<Pick<Ending, 'stdout' | 'stderr'>>;
  /** Resolves when the standard output holds a text. */
  readonly sees: (text: string) => Promise<void>;
}

/** A folder of this test file's own, removed when the file is through. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sortie-cli-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Starts the built command in a folder, without a terminal; `cli` is another build of it. Its standard input is empty, or
 * with `pipe` the child's to write to.
 */
export function startCommand(
  folder: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cli = CLI,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Started {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...process.env, ...QUIET, ...env },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  const seen = new Set<() => void>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
    for (const look of seen) look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ended = new Promise<Ending>((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, ...written }));
  });
  const sees = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (written.stdout.includes(text)) resolve();
      };
      seen.add(look);
      look();
      void ended.then(() => reject(new Error(`ended before ${text}: ${written.stdout}${written.stderr}`)));
    });
  return { child, ended, written, sees };
}

/** What the shell of whoever runs the tests may have set; undefined unsets it. */
const QUIET: NodeJS.ProcessEnv = {
  NO_COLOR: undefined,
  FORCE_COLOR: undefined,
  COLUMNS: undefined,
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
};

/** Runs the built command in a folder to its end, without a terminal. */
export function runCommand(
  folder: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  cli?: string,
): Promise<Ending> {
  return startCommand(folder, args, env, cli).ended;
}

/** The option that has the scripted task run one node: a tool and its text. */
export function planOf(tool: string, text: string): string {
  const plan = { nodes: [{ id: 'report', tool, args: { text } }], output: 'report' };
  return `--input=plan=${JSON.stringify(plan)}`;
}

/** Writes `mock.mjs`, a provider that answers nothing. */
export function writeSilentMock(folder: string): void {
  const source = "import { defineMock } from 'sortie';\nexport default defineMock({ roles: {} });\n";
  writeFileSync(join(folder, 'mock.mjs'), source);
}

/** Writes `task.yaml`, which has the tools of `tools.mjs` and no judge, and for each of them a plan that calls it alone. */
export function writeToolTask(folder: string, tools: readonly string[]): object {
  writeSilentMock(folder);
  const task = {
    name: 't',
    goal: 'g',
    tools: ['./tools.mjs'],
    provider: './mock.mjs',
    verify: { judge: 'off' },
  };
  writeFileSync(join(folder, 'task.yaml'), JSON.stringify(task));
  for (const tool of tools) {
    const plan = { nodes: [{ id: 'a', tool, args: {} }], output: 'a' };
    writeFileSync(join(folder, `${tool}.json`), JSON.stringify(plan));
  }
  return task;
}
