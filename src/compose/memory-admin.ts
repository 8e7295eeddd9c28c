import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readTextFile } from '../config/load.ts';
import { taskInvalid } from '../config/problem.ts';
import { valueAtPath } from '../config/schema-findings.ts';
import { readTaskText } from '../config/task-file.ts';
import { type Task, taskSchema } from '../contracts/task.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { type OpenMemory, openMemory } from './memory.ts';

/** Which memory a person means. */
export interface MemoryChoice {
  /** The task file whose section `memory` says where; without one the defaults hold. */
  readonly task?: string;
  /** Fields of that section, over the environment and the file. */
  readonly flags: Readonly<Record<`memory.${string}`, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runsFolder?: string;
}

/** The section `memory` of a task, and what paths in it are relative to. */
export interface MemorySettings {
  readonly memory: Task['memory'];
  readonly workspace: string;
}

/** A memory that a person works with. */
export interface ChosenMemory extends OpenMemory, MemorySettings {}

/**
 * What the task file, the environment and the flags say of its memory. Whatever else is wrong with the file is no matter
 * here; throws `task_invalid` where it is no task file, or its section `memory` does not hold.
 */
export async function readMemorySettings({ task, flags, env }: MemoryChoice): Promise<MemorySettings> {
  const text = task === undefined ? '{}' : await readTextFile(task);
  const { accepted, filled, problems } = readTaskText(text, task ?? '(no task)', { flags, env });
  const workspace = task === undefined ? resolve('.') : dirname(resolve(task));
  if (accepted !== null) return { memory: accepted.task.memory, workspace };
  const own = problems.filter(({ path }) => path === '' || /^memory(?:\.|$)/.test(path));
  if (own.length > 0) throw taskInvalid(own);
  return { memory: taskSchema.shape.memory.parse(valueAtPath(filled, ['memory'])), workspace };
}

/** Opens the memory that a person means; throws like `readMemorySettings`. The caller closes it. */
export async function chooseMemory(
  choice: MemoryChoice,
  warn: (message: string) => void,
): Promise<ChosenMemory> {
  const settings = await readMemorySettings(choice);
  const { runsFolder } = choice;
  const opened = await openMemory({
    ...settings,
    ...(runsFolder === undefined ? {} : { runsFolder }),
    warn,
  });
  return { ...opened, ...settings };
}

/**
 * Throws `memory_unavailable` where SQLite is needed, to read the file of a memory or to make it, and cannot be loaded:
 * a run goes on with what stands in for it, but a person would take that for what is kept.
 */
export async function requireSqlite(
  { path }: Pick<ChosenMemory, 'path'>,
  { isWriting }: { readonly isWriting: boolean },
): Promise<void> {
  if (!isWriting && !existsSync(path)) return;
  const { findSqliteProblem } = await import('../memory/lazy-store.ts');
  const problem = await findSqliteProblem();
  if (problem === null) return;
  const isThere = !problem.startsWith('Cannot find ');
  throw new OrchestratorError('memory_unavailable', `better-sqlite3 cannot be loaded: ${problem}`, {
    ...(isThere ? { hint: 'Build it for this version of Node: `npm rebuild better-sqlite3`.' } : {}),
  });
}

/**
 * Throws `usage` where a file that a person named holds text: what is no memory of a run is set aside as a corrupt one,
 * and a slip of the hand must not do that to a file of theirs.
 */
export async function refuseText(path: string): Promise<void> {
  const file = await open(path).catch(() => null);
  if (file === null) return;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096);
    const begin = buffer.subarray(0, bytesRead);
    const isText = bytesRead > 0 && !begin.some((byte) => byte < 9);
    if (!isText) return;
  } catch {
    return;
  } finally {
    await file.close();
  }
  throw new OrchestratorError('usage', `${path} is no memory: it holds text`, {
    hint: 'Name the file of a memory, such as .orchestrate/memory.db, or one that is not there yet.',
  });
}
