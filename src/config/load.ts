import { isUtf8 } from 'node:buffer';
import { existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Task } from '../contracts/task.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';
import { findMachinePaths } from './check-patterns.ts';
import type { Position } from './locate.ts';
import type { OverrideSources } from './overrides.ts';
import type { FileProblem, TaskPath, TaskProblem } from './problem.ts';
import { sortProblems, taskInvalid } from './problem.ts';
import { valueAtPath } from './schema-findings.ts';
import type { TaskReading } from './task-file.ts';
import { MAX_TASK_BYTES, readTaskText } from './task-file.ts';

/** What a task is read with: overrides, and the names that exist without a module. */
export interface LoadOptions extends OverrideSources {
  /** Names of the built-in tools. */
  readonly builtins: readonly string[];
  /** Names of the providers. */
  readonly providers: readonly string[];
  /** Beginnings of names that stand for providers too, such as `recorded:`. */
  readonly providerPrefixes?: readonly string[];
}

/** A task that was read from a file and holds. */
export interface LoadedTask {
  /** The configuration of the run; checks and rubric are filled in, `goal` is as written. */
  readonly task: Task;
  /** The goal with its inputs filled in. */
  readonly goal: string;
  /** The path as it was given. */
  readonly file: string;
  /** The absolute folder of the file: what paths in the task are relative to. */
  readonly folder: string;
  /** Place of the value at a path in dots such as `tools.0`; null where a flag, a variable or a default gave it. */
  locate(path: string): Position | null;
  /** A problem found later, such as of a tool module, at its place in the file or with the flag that gave it. */
  problemAt(path: TaskPath, message: string, hint?: string): TaskProblem;
}

/** Reads a task file; throws `task_invalid` with every problem, among them modules and names that do not exist. */
export async function loadTask(file: string, options: LoadOptions): Promise<LoadedTask> {
  return loadTaskText(await readTextFile(file), file, dirname(resolve(file)), options);
}

/** Reads a task from text that stands for a file in `folder`; throws `task_invalid` like `loadTask`. */
export function loadTaskText(text: string, file: string, folder: string, options: LoadOptions): LoadedTask {
  const reading = readTaskText(text, file, options);
  const machinePaths = findMachinePaths(reading.filled, folder);
  const problems = sortProblems([
    ...withProviderNames(reading, options.providers),
    ...machinePaths.map(({ path, message, hint }) => reading.problemAt(path, message, hint)),
    ...findMissingNames(reading, folder, options),
  ]);
  if (reading.accepted === null || problems.length > 0) throw taskInvalid(problems);
  return {
    ...reading.accepted,
    file,
    folder,
    locate: (path) => reading.locate(path),
    problemAt: (path, message, hint) => reading.problemAt(path, message, hint),
  };
}

/** Whether an entry of `tools`, or a provider, is the path of a module; otherwise it is a name. */
export function isModulePath(entry: string): boolean {
  return /^\.{0,2}\//.test(entry);
}

/** The text of a task file; throws `task_invalid` where it cannot be read, is too large, or no text. */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readBytes(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const line = lineOfBadBytes(bytes);
  throw taskInvalid([fileProblem(file, 'not UTF-8 text', 'save the file as UTF-8', line)]);
}

/** The bytes of a file up to the limit, whatever kind of file it is. */
async function readBytes(file: string): Promise<Buffer> {
  try {
    const handle = await open(file, 'r');
    try {
      const chunks: Buffer[] = [];
      let total = 0;
      while (total <= MAX_TASK_BYTES) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, null);
        if (bytesRead === 0) return Buffer.concat(chunks);
        chunks.push(buffer.subarray(0, bytesRead));
        total += bytesRead;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadableFile(file, error);
  }
  const hint = 'a task file holds settings; move data to where a tool reads it';
  throw taskInvalid([fileProblem(file, `larger than ${MAX_TASK_BYTES / 1024} KiB`, hint)]);
}

function unreadableFile(file: string, error: unknown): OrchestratorError {
  if (file === '') {
    return new OrchestratorError('task_invalid', 'no task file is named', {
      hint: 'Name its path, such as task.yaml; standard input is not read.',
      details: { file },
    });
  }
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
  const [message, hint] = UNREADABLE.get(code) ?? [`cannot be read: ${code}`, 'check the path'];
  return new OrchestratorError('task_invalid', `${file}: ${message}`, {
    hint,
    details: { file, code },
    cause: error,
  });
}

const UNREADABLE = new Map<string, readonly [message: string, hint: string]>([
  ['ENOENT', ['no such file', '`orchestrate init` writes a task to start from']],
  ['ENOTDIR', ['no such file', 'a part of the path is not a folder']],
  ['EISDIR', ['this is a folder, not a task file', 'name the task file in it']],
  ['EACCES', ['no permission to read this file', 'check its owner and mode']],
  ['EPERM', ['no permission to read this file', 'check its owner and mode']],
]);

function fileProblem(file: string, message: string, hint: string, line = 1): FileProblem {
  return { file, line, column: 1, path: '', message, hint };
}

function lineOfBadBytes(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) break;
    start = end + 1;
  }
  return line;
}

function findMissingNames(reading: TaskReading, folder: string, options: LoadOptions): TaskProblem[] {
  const { filled } = reading;
  const tools = valueAtPath(filled, ['tools']);
  const entries: { path: TaskPath; entry: Json | undefined; kind: string; names: readonly string[] }[] = [
    ...(Array.isArray(tools) ? tools : []).map((entry: Json, index) => ({
      path: ['tools', index],
      entry,
      kind: 'built-in tool',
      names: options.builtins,
    })),
    ...providerPaths(filled).map((path) => ({
      path,
      entry: valueAtPath(filled, path),
      kind: 'provider',
      names: options.providers,
    })),
  ];
  const problems = entries.flatMap(({ path, entry, kind, names }) => {
    if (typeof entry !== 'string' || entry === '') return [];
    if (kind === 'provider' && options.providerPrefixes?.some((prefix) => entry.startsWith(prefix)) === true)
      return [];
    const problem = isModulePath(entry) ? missingModule(entry, folder) : unknownName(entry, kind, names);
    return problem === null ? [] : [reading.problemAt(path, problem.message, problem.hint)];
  });
  const checks = valueAtPath(filled, ['verify', 'checks']);
  for (const [index, check] of (Array.isArray(checks) ? checks : []).entries()) {
    const entry = valueAtPath(check as Json, ['function']);
    const module = typeof entry === 'string' ? /^([^#]+)#/.exec(entry)?.[1] : undefined;
    const problem = module === undefined ? null : missingModule(module, folder);
    const path = ['verify', 'checks', index, 'function'];
    if (problem !== null) problems.push(reading.problemAt(path, problem.message, problem.hint));
  }
  return problems;
}

/** What is wrong with the values; where no provider is given, with the names that there are. */
function withProviderNames(
  { problems, filled }: TaskReading,
  names: readonly string[],
): readonly TaskProblem[] {
  if (valueAtPath(filled, ['provider']) !== undefined) return problems;
  const hint = `known are ${names.join(', ')}; a module is written with ./, such as ./mock.ts`;
  return problems.map((problem) => (problem.path === 'provider' ? { ...problem, hint } : problem));
}

/** Where a task names providers: one, or a list, each a name or an entry with a name; and in the chains of roles. */
function providerPaths(filled: Json): TaskPath[] {
  const provider = valueAtPath(filled, ['provider']);
  const models = valueAtPath(filled, ['models']);
  const places: TaskPath[] = Array.isArray(provider)
    ? provider.map((_, index) => ['provider', index])
    : [['provider']];
  for (const [role, chain] of Object.entries(isJsonObject(models) ? models : {})) {
    if (Array.isArray(chain)) places.push(...chain.map((_, index) => ['models', role, index, 'provider']));
  }
  return places.map((path) => (isJsonObject(valueAtPath(filled, path)) ? [...path, 'name'] : path));
}

function missingModule(path: string, folder: string): { message: string; hint: string } | null {
  const absolute = resolve(folder, path);
  if (!existsSync(absolute))
    return { message: `no such module: ${absolute}`, hint: 'paths start at the task file' };
  if (!statSync(absolute).isFile())
    return { message: `not a module: ${absolute}`, hint: 'name a file in it' };
  return null;
}

function unknownName(
  name: string,
  kind: string,
  names: readonly string[],
): { message: string; hint: string } | null {
  if (names.includes(name)) return null;
  const near = didYouMean(name, names);
  const advice = `a module is written with ./, such as ./${/\.\w+$/.test(name) ? name : `${name}.ts`}`;
  const hint = /\.[cm]?[jt]s$/.test(name)
    ? advice
    : near === null
      ? `known are ${names.join(', ')}; ${advice}`
      : `did you mean ${near}?`;
  return { message: `no ${kind} is named "${name}"`, hint };
}
