import { describeStray } from '../compose/describe-stray.ts';
import { type Io, writeLine } from './io.ts';
import { writeNext } from './report-early-exit.ts';
import { stackOf } from './report-error.ts';
import type { RunUnderWay } from './run-under-way.ts';
import { createStyle } from './style.ts';

/**
 * Writes to the error stream what nobody caught: one line, its stack only with `isDebugging`, and how a run that it
 * ended is gone on with.
 */
export function reportStray(thrown: unknown, run: RunUnderWay | null, io: Io, isDebugging: boolean): void {
  run?.leave();
  const style = createStyle(io.stderr, io.env);
  const outcome = run === null ? '' : '; the run ends here, and its log is kept';
  writeLine(io.stderr, `${style.red('error:')} ${describeStray(thrown)} (nobody caught it${outcome})`);
  if (isDebugging) writeLine(io.stderr, stackOf(thrown));
  else
    writeLine(
      io.stderr,
      style.dim('Await or catch what tools, hooks and modules start. --debug shows the stack.'),
    );
  writeNext(run, io);
}
