import { OrchestratorError } from '../kernel/errors.ts';

/** The steps from the root of a task to one of its values. */
export type TaskPath = readonly (string | number)[];

/** What is wrong with a value of the task, before it is known where that value came from. */
export interface TaskFinding {
  readonly path: TaskPath;
  /** Whether the key itself is wrong, or the value behind it. */
  readonly at: 'key' | 'value';
  readonly message: string;
  readonly hint?: string;
}

/** A problem at a place of the task file; line and column count from 1, columns in UTF-16 units. */
export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The path in dots, such as `verify.checks.0.includes`; empty for the file as a whole. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** A problem of a value that a flag or an environment variable gave. */
export interface OverrideProblem {
  /** The flag or variable, such as `--budget.tokens`. */
  readonly override: string;
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** One thing that keeps a task from being accepted. */
export type TaskProblem = FileProblem | OverrideProblem;

/** The line that people read: `file:line:column path: problem (hint)`, or `--flag: problem (hint)`. */
export function renderTaskProblem(problem: TaskProblem): string {
  const text = problem.hint === undefined ? problem.message : `${problem.message} (${problem.hint})`;
  if ('override' in problem) return `${problem.override}: ${text}`;
  const path = problem.path === '' ? '' : ` ${problem.path}`;
  return `${problem.file}:${problem.line}:${problem.column}${path}: ${text}`;
}

/** The one error for all problems of a task, a line each; `details.problems` holds them as data. */
export function taskInvalid(problems: readonly TaskProblem[]): OrchestratorError {
  const isFileSound = problems.every((problem) => 'override' in problem);
  return new OrchestratorError('task_invalid', problems.map(renderTaskProblem).join('\n'), {
    ...(isFileSound ? { hint: 'Correct the flags, variables or inputs that are named.' } : {}),
    details: { problems: problems.map((problem) => ({ ...problem })) },
  });
}

/** Problems in the order in which they stand in the file, behind those of flags and variables. */
export function sortProblems(problems: readonly TaskProblem[]): TaskProblem[] {
  return [...problems].sort((a, b) => {
    const [left, right] = ['override' in a ? START : a, 'override' in b ? START : b];
    return left.line - right.line || left.column - right.column;
  });
}

const START = { line: 0, column: 0 };

/** The hint that offers a word. */
export function didYouMeanHint(word: string | null): { readonly hint?: string } {
  return word === null ? {} : { hint: `did you mean ${word}?` };
}
