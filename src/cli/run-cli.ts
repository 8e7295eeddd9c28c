import type { Io } from './io.ts';
import { parseCommandLine } from './parse-command-line.ts';
import { reportError } from './report-error.ts';

/** Obeys one command line; the answer is the exit code. Never throws. */
export async function runCli(words: readonly string[], io: Io): Promise<number> {
  try {
    const invocation = await parseCommandLine(words, io);
    return invocation === null ? 0 : await invocation.command.run(invocation.args, io);
  } catch (error) {
    return reportError(error, io, isDebugging(words, io));
  }
}

/** Whether stacks are wanted. */
export function isDebugging(words: readonly string[], io: Io): boolean {
  return words.includes('--debug') || Boolean(io.env['ORCHESTRATE_DEBUG']);
}
