import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** Where a child kills itself: at which event, and how far that one has come. */
export interface KillOrder {
  readonly seq: number;
  /**
   * `before`: the write; `torn`: in the middle of its line; `written`: but its effect not begun; `done`: its effect, but
   * the outcome not logged.
   */
  readonly phase: (typeof PHASES)[number];
}

/** How far an event has come when its process is killed. */
export const PHASES = ['before', 'torn', 'written', 'done'] as const;

/** What a child is told to do. */
export interface ChildOrder {
  readonly world: string;
  /** The folder that the irreversible tool writes to. */
  readonly folder: string;
  readonly root: string;
  readonly runId: string;
  readonly kill?: KillOrder;
  /** Writes `open` when the run is held, and `begun` with its first event. */
  readonly tells?: boolean;
}

/** A child and its ending. */
export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<{
    readonly signal: NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
  /** Resolves when it has written a text, or ended. */
  readonly sees: (text: string) => Promise<void>;
}

const CHILD = fileURLToPath(new URL('../support/fault-child.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, 'node_modules', '.cache', `sortie-fault-${process.pid}`);
const BUNDLE = join(FOLDER, 'test', 'support', 'child.mjs');

/** Bundles the child of the fault tests before those of this file, so that it starts quickly. */
export function bundleChild(): void {
  beforeAll(async () => {
    mkdirSync(FOLDER, { recursive: true });
    await build({
      absWorkingDir: ROOT,
      entryPoints: [CHILD],
      outfile: BUNDLE,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      alias: { sortie: join(ROOT, 'src', 'index.ts') },
      external: [
        'jiti',
        '@opentelemetry/*',
        'better-sqlite3',
        'openai',
        '@anthropic-ai/sdk',
        '@xenova/*',
        '@huggingface/*',
      ],
      banner: {
        js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
      },
      define: {
        'import.meta.url': JSON.stringify(new URL('../support/fault-worlds.ts', import.meta.url).href),
      },
      logLevel: 'error',
    });
  });
  afterAll(() => {
    rmSync(FOLDER, { recursive: true, force: true });
  });
}

/** Starts a child. */
export function startChild(order: ChildOrder, wrapper: readonly string[] = []): Child {
  const words = [...wrapper, process.execPath, BUNDLE, JSON.stringify(order)];
  const child = spawn(words[0] ?? '', words.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
    for (const look of looks) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ended = new Promise<Awaited<Child['ended']>>((resolve) => {
    child.once('close', (_, signal) => resolve({ signal, ...written }));
  });
  const sees = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (written.stdout.includes(text)) resolve();
      };
      looks.add(look);
      look();
      void ended.then(() => resolve());
    });
  return { process: child, ended, sees };
}

/** Runs tasks, so many at a time, and throws the first failure once all have ended. */
export async function inParallel<T>(
  items: readonly T[],
  limit: number,
  action: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      await action(item).catch((error: unknown) => failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  if (failures.length > 0) throw failures[0];
}
