import { OrchestratorError } from '../kernel/errors.ts';
import { type Io, writeLine } from './io.ts';
import { createStyle } from './style.ts';

/**
 * Writes what went wrong to the error stream and returns the exit code: message and hint for an error of this
 * program's table, one line for a defect, whose stack is shown only with `isDebugging`.
 */
export function reportError(error: unknown, io: Io, isDebugging: boolean): number {
  const style = createStyle(io.stderr, io.env);
  if (error instanceof OrchestratorError && error.code !== 'internal') {
    writeLine(io.stderr, `${style.red('error:')} ${error.message}`);
    if (error.hint !== '') writeLine(io.stderr, style.dim(error.hint));
    if (isDebugging) writeLine(io.stderr, stackOf(error));
    return error.exitCode;
  }
  const message = error instanceof Error ? error.message : String(error);
  writeLine(
    io.stderr,
    `${style.red('unexpected error:')} ${firstLine(message)} — please report this (--debug shows where)`,
  );
  if (isDebugging) writeLine(io.stderr, stackOf(error));
  return 1;
}

/** The stack of an error and of what caused it, whatever was thrown. */
export function stackOf(error: unknown): string {
  try {
    if (!(error instanceof Error)) return String(error);
    const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
    return `${error.stack ?? error.message}${cause}`;
  } catch {
    return 'Its stack cannot be read.';
  }
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
