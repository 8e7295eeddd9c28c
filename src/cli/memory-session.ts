import { resolve } from 'node:path';
import type { Options } from 'yargs';
import type { ChosenMemory, MemoryChoice } from '../compose/memory-admin.ts';
import type { MemoryTier } from '../index.ts';
import { type Arguments, SHARED_OPTIONS } from './command.ts';
import { DEFAULT_TASK, findDefaultTask } from './default-task.ts';
import { type Io, writeLine } from './io.ts';
import { shellWord } from './shell-word.ts';
import { createStyle } from './style.ts';
import { usageError } from './usage-error.ts';

/** Options of every command of `orchestrate memory`: which memory is meant. */
export const MEMORY_OPTIONS = {
  scope: {
    type: 'string',
    requiresArg: true,
    describe: "Whose memories (default: memory.scope of the task, else 'default')",
  },
  task: {
    type: 'string',
    requiresArg: true,
    describe: `The task whose section memory says where they are (default: ${DEFAULT_TASK} where it is there)`,
  },
  db: {
    type: 'string',
    requiresArg: true,
    describe: 'Their file (default: memory.path of the task, else .orchestrate/memory.db)',
  },
  ...SHARED_OPTIONS.json,
  ...SHARED_OPTIONS.runsFolder,
} as const satisfies Record<string, Options>;

/** The option of the commands that may be about one tier. */
export const TIER_OPTION = {
  tier: {
    type: 'string',
    choices: ['episodic', 'semantic'],
    describe: 'Only runs that ended (episodic), or only facts (semantic)',
  },
} as const satisfies Record<string, Options>;

/** The tier that the arguments name, where they name one. */
export function readTier(args: Arguments): { readonly tier?: MemoryTier } {
  const tier = args.text('tier');
  return tier === undefined ? {} : { tier: tier as MemoryTier };
}

/** Which memory the arguments mean. */
export function memoryChoice(args: Arguments, io: Io): MemoryChoice {
  const task = args.text('task') ?? findDefaultTask();
  const runsFolder = args.text('runs-folder');
  const [scope, path] = [args.text('scope'), args.text('db')];
  if (scope === '') throw usageError('--scope is empty', 'Name one, or leave it out.');
  if (path === '') throw usageError('--db is empty', 'Name a file, or leave it out.');
  return {
    ...(task === undefined ? {} : { task }),
    ...(runsFolder === undefined ? {} : { runsFolder }),
    flags: {
      ...(scope === undefined ? {} : { 'memory.scope': scope }),
      // Paths of the task are relative to its file, those of a command line to where it is given.
      ...(path === undefined ? {} : { 'memory.path': resolve(path) }),
    },
    env: io.env,
  };
}

/** Opens the memory that the arguments mean, closes it after the work, and tells of what is wrong with its file. */
export async function withMemory(
  args: Arguments,
  io: Io,
  use: { readonly isWriting: boolean },
  work: (memory: ChosenMemory) => Promise<number>,
): Promise<number> {
  const { chooseMemory, refuseText, requireSqlite } = await import('../compose/memory-admin.ts');
  const named = args.text('db');
  if (named !== undefined && named !== '') await refuseText(resolve(named));
  const memory = await chooseMemory(memoryChoice(args, io), (message) => warn(message, io));
  try {
    await requireSqlite(memory, use);
    return await work(memory);
  } finally {
    await memory.close();
  }
}

/** Writes a warning to the error stream. */
export function warn(message: string, io: Io): void {
  writeLine(io.stderr, `${createStyle(io.stderr, io.env).yellow('warning:')} ${message}`);
}

/** The options that name the same memory in another command line. */
export function sameMemory(args: Arguments): string {
  return ['scope', 'task', 'db', 'runs-folder']
    .flatMap((name) => {
      const text = args.text(name);
      return text === undefined ? [] : [` --${name} ${shellWord(text)}`];
    })
    .join('');
}
