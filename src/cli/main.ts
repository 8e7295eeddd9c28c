import { writeSync } from 'node:fs';
import './interpret-schemas.ts';
import { isEndedByInterrupt } from './interrupt.ts';
import { type Io, processIo } from './io.ts';
import { reportEarlyExit } from './report-early-exit.ts';
import { reportStray } from './report-stray.ts';
import { isDebugging, runCli } from './run-cli.ts';
import { runUnderWay } from './run-under-way.ts';

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
process.on('exit', () => {
  if (isDone || isEndedByInterrupt()) return;
  process.exitCode = 1;
  report((io, isDebug) => {
    process.exitCode = reportEarlyExit(isDrained, runUnderWay(), io, isDebug);
  });
});

// What user code throws outside of its calls ends the process, as it would without this; but not with a bare stack.
let isEnding = false;
const endAt = (thrown: unknown): void => {
  if (isEnding) return;
  isEnding = true;
  const end = (): never => {
    isDone = true;
    process.exit(1);
  };
  const isReported = report((io, isDebug) => {
    reportStray(thrown, runUnderWay(), io, isDebug);
    process.stderr.write('', end);
  });
  if (!isReported) end();
};
process.on('uncaughtException', endAt);
process.on('unhandledRejection', endAt);

/** Writes a report; what loaded code breaks in that, such as the stream, must not come back to loaded code. */
function report(write: (io: Io, isDebug: boolean) => void): boolean {
  try {
    const io = processIo();
    write(io, isDebugging(process.argv, io));
    return true;
  } catch {
    tellBarely();
    return false;
  }
}

function tellBarely(): void {
  try {
    writeSync(2, 'error: loaded code ended the process, and broke what would say where\n');
  } catch {
    // Nobody is left to be told.
  }
}

void runCli(process.argv.slice(2), processIo()).then((exitCode) => {
  // Code that ignored its abort may still hold the process; what was written is flushed first.
  process.stdout.write('', () =>
    process.stderr.write('', () => {
      isDone = true;
      process.exit(exitCode);
    }),
  );
});
