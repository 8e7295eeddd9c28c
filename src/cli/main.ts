import './interpret-schemas.ts';
import { processIo } from './io.ts';
import { reportEarlyExit } from './report-early-exit.ts';
import { reportStray } from './report-stray.ts';
import { isDebugging, runCli } from './run-cli.ts';
import { runUnderWay } from './run-under-way.ts';

/** A second Ctrl-C ends the process at once. */
const INTERRUPTED = 130;

let isDone = false;

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no error; what is written after it is lost silently.
    if (error.code === 'EPIPE') return;
    if (stream === process.stdout)
      process.stderr.write(`orchestrate: cannot write the output: ${error.message}\n`);
    isDone = true;
    process.exit(1);
  });
}

// The process also ends when nothing is left that could wake it (a promise that never settles), or when loaded code
// ends it, with whatever exit code. Neither is a success.
let isDrained = false;
process.on('beforeExit', () => {
  isDrained = true;
});
process.on('exit', (code) => {
  if (isDone || code === INTERRUPTED) return;
  const io = processIo();
  process.exitCode = reportEarlyExit(isDrained, runUnderWay(), io, isDebugging(process.argv, io));
});

// What user code throws outside of its calls ends the process, as it would without this; but not with a bare stack.
let isEnding = false;
const endAt = (thrown: unknown): void => {
  if (isEnding) return;
  isEnding = true;
  const io = processIo();
  reportStray(thrown, runUnderWay(), io, isDebugging(process.argv, io));
  process.stderr.write('', () => {
    isDone = true;
    process.exit(1);
  });
};
process.on('uncaughtException', endAt);
process.on('unhandledRejection', endAt);

void runCli(process.argv.slice(2), processIo()).then((exitCode) => {
  // Code that ignored its abort may still hold the process; what was written is flushed first.
  process.stdout.write('', () =>
    process.stderr.write('', () => {
      isDone = true;
      process.exit(exitCode);
    }),
  );
});
