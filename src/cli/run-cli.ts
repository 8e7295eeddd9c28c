import type { Io } from './io.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { writeNext } from './report-early-exit.ts';
import { reportError } from './report-error.ts';
import { noteRunUnderWay, runUnderWay } from './run-under-way.ts';

/** Obeys one command line; the answer is the exit code. Never throws. */
export async function runCli(words: readonly string[], io: Io): Promise<number> {
  try {
    const invocation = await parseCommandLine(words, io);
    return invocation === null ? 0 : await invocation.command.run(invocation.args, io);
  } catch (error) {
    const exitCode = reportError(error, io, isDebugging(words, io));
    writeNext(runUnderWay(), io);
    noteRunUnderWay(null);
    return exitCode;
  }
}

/** Whether stacks are wanted. */
export function isDebugging(words: readonly string[], io: Io): boolean {
  return words.includes('--debug') || Boolean(io.env['ORCHESTRATE_DEBUG']);
}
