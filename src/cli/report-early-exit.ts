import { findExitCall, moduleExitError } from '../compose/early-exit.ts';
import { type Io, writeLine } from './io.ts';
import { nextCommands } from './next-commands.ts';
import { reportError } from './report-error.ts';
import type { RunUnderWay } from './run-under-way.ts';
import { createStyle } from './style.ts';

/**
 * Writes to the error stream who ended the process before its command was done: the module that was being loaded, or the
 * line that called process.exit, with how a run that it ended is gone on with. The answer is the exit code.
 */
export function reportEarlyExit(
  isDrained: boolean,
  run: RunUnderWay | null,
  io: Io,
  isDebugging: boolean,
): number {
  run?.leave();
  const error = run === null ? moduleExitError(isDrained) : null;
  if (error !== null) return reportError(error, io, isDebugging);
  const what = isDrained
    ? 'ended before it was done: loaded code never settles'
    : `${findExitCall() ?? 'loaded code'}: called process.exit`;
  const outcome = run === null ? '' : '; the run ends here, and its log is kept';
  writeLine(io.stderr, `${createStyle(io.stderr, io.env).red('error:')} ${what}${outcome}`);
  writeNext(run, io);
  return 1;
}

/** Writes to the error stream how a run is gone on with that ended with its process. */
export function writeNext(run: RunUnderWay | null, io: Io): void {
  if (run === null) return;
  const next = nextCommands({ runId: run.runId, status: 'unfinished' }, run.runsFolder);
  writeLine(io.stderr, `\nNext: ${next.join(' · ')}`);
}
