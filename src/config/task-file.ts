/*
 * From the text of a task file to the task, with every problem in one report. The order: YAML, overrides, templates in
 * the checks, the schema, templates in the goal. A value that one step refused is not reported again by the next.
 */
import type { Json, JsonObject } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';
import { describeValue } from './describe-value.ts';
import type { Position } from './locate.ts';
import { createLocator, offsetOfDottedPath, offsetOfPath } from './locate.ts';
import type { Override, OverrideSources } from './overrides.ts';
import { applyOverrides, readOverrides } from './overrides.ts';
import type { FileProblem, TaskFinding, TaskPath, TaskProblem } from './problem.ts';
import { sortProblems, taskInvalid } from './problem.ts';
import { valueAtPath } from './schema-findings.ts';
import { templateNames } from './template.ts';
import type { AcceptedTask } from './validate-task.ts';
import { validateTask } from './validate-task.ts';
import type { SourceNode } from './yaml-source.ts';
import { readYamlSource } from './yaml-source.ts';

/** Bytes (and characters) that a task file may have. */
export const MAX_TASK_BYTES = 1024 * 1024;

/** A task as read, before its problems are raised. */
export interface TaskReading {
  /** Null exactly where `problems` is not empty. */
  readonly accepted: AcceptedTask | null;
  readonly problems: readonly TaskProblem[];
  /** The task with overrides in place and checks filled in, before the schema: it may be wrong anywhere. */
  readonly filled: Json;
  /** Place of the value at a path in dots, null where the file does not hold it. */
  locate(path: string): Position | null;
  /** The problem of the value at a path, at its place in the file or with the flag that gave it. */
  problemAt(path: TaskPath, message: string, hint?: string): TaskProblem;
}

/** The task that a text holds; throws `task_invalid` with every problem. Reads no other file. */
export function parseTaskFile(text: string, file: string, sources: OverrideSources = {}): AcceptedTask {
  const reading = readTaskText(text, file, sources);
  if (reading.accepted === null) throw taskInvalid(reading.problems);
  return reading.accepted;
}

/** The task that a text holds, or every problem of it. Reads no other file. */
export function readTaskText(fullText: string, file: string, sources: OverrideSources = {}): TaskReading {
  const text = fullText.startsWith('\uFEFF') ? fullText.slice(1) : fullText;
  const positionAt = createLocator(text);
  const atOffset = (offset: number, path: TaskPath, message: string, hint?: string): FileProblem => ({
    file,
    ...positionAt(offset),
    path: path.join('.'),
    message,
    ...(hint === undefined ? {} : { hint }),
  });
  const refused = (offset: number, message: string, hint?: string): TaskReading =>
    unreadable([atOffset(offset, [], message, hint)], atOffset);

  if (text.length > MAX_TASK_BYTES)
    return refused(0, `larger than ${MAX_TASK_BYTES / 1024} KiB`, TOO_LARGE_HINT);
  const nul = text.indexOf('\0');
  if (nul !== -1) return refused(nul, 'a NUL character: this is a binary file, not YAML text');
  if (/\r./.test(text) && !text.includes('\n'))
    return refused(0, 'its lines end by CR alone', 'save the file with LF or CRLF at the ends of lines');
  const source = readYamlSource(text);
  if (!source.ok) {
    return unreadable(
      source.problems.map((problem) => atOffset(problem.offset, [], problem.message, problem.hint)),
      atOffset,
    );
  }
  if (source.value === null)
    return refused(0, 'the file is empty', '`orchestrate init` writes a task to start from');
  if (!isJsonObject(source.value)) {
    return refused(
      source.root.offset,
      `expected a map of keys, got ${describeValue(source.value)}`,
      'a task begins like name: my task',
    );
  }

  const { root } = source;
  const { overrides, problems } = readOverrides(sources, source.value);
  const written = withoutExtensions(applyOverrides(source.value, overrides) as JsonObject);
  const refusedPaths = source.findings.filter(({ at }) => at === 'value').map(({ path }) => path);
  const { accepted, filled, findings } = validateTask(written, refusedPaths);
  const toProblem = (finding: TaskFinding): TaskProblem => {
    const { path, at, message, hint } = finding;
    const dotted = path.join('.');
    const advice = hint === undefined ? {} : { hint };
    const override = overrideOf(path, overrides);
    if (override !== null) return { override, path: dotted, message, ...advice };
    const filling = overrideBehind(written, path, overrides);
    return filling === null
      ? atOffset(offsetOfPath(root, path, at), path, message, hint)
      : { override: filling, path: dotted, message: `${dotted}: ${message}`, ...advice };
  };
  const all = sortProblems([
    ...problems,
    ...source.findings.map(({ offset, path, message, hint }) => atOffset(offset, path, message, hint)),
    ...findings.map(toProblem),
  ]);
  return {
    accepted: all.length === 0 ? accepted : null,
    problems: all,
    filled,
    locate: (path) =>
      overrideOf(path.split('.'), overrides) === null ? placeOf(root, path, positionAt) : null,
    problemAt: (path, message, hint) =>
      toProblem({ path, at: 'value', message, ...(hint === undefined ? {} : { hint }) }),
  };
}

const TOO_LARGE_HINT = 'move data out of the task, to where a tool reads it';

function unreadable(
  problems: readonly FileProblem[],
  atOffset: (offset: number, path: TaskPath, message: string, hint?: string) => FileProblem,
): TaskReading {
  return {
    accepted: null,
    problems,
    filled: null,
    locate: () => null,
    problemAt: (path, message, hint) => atOffset(0, path, message, hint),
  };
}

function placeOf(root: SourceNode, path: string, positionAt: (offset: number) => Position): Position | null {
  const offset = offsetOfDottedPath(root, path);
  return offset === null ? null : positionAt(offset);
}

/** The flag or variable that gave the value at a path, the last to apply first; null where the file did. */
function overrideOf(path: TaskPath, overrides: readonly Override[]): string | null {
  const override = overrides.findLast((candidate) =>
    candidate.path.every((step, index) => step === path[index]),
  );
  return override?.source ?? null;
}

/** The flag or variable that gave an input which fills the template at a path, or above it; null where none did. */
function overrideBehind(written: JsonObject, path: TaskPath, overrides: readonly Override[]): string | null {
  for (let length = path.length; length > 0; length--) {
    const value = valueAtPath(written, path.slice(0, length));
    if (typeof value !== 'string') continue;
    const given = templateNames(value).map((name) => overrideOf(['inputs', name], overrides));
    return given.find((source) => source !== null) ?? null;
  }
  return null;
}

/** The task without the keys at its top that start with `x-`, which are the user's own. */
function withoutExtensions(written: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(written).filter(([key]) => !key.startsWith('x-')));
}
