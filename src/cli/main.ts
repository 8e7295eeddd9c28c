import { processIo } from './io.ts';
import { runCli } from './run-cli.ts';

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, such as head, is no error; what is written after it is lost silently.
    if (error.code !== 'EPIPE') throw error;
  });
}

void runCli(process.argv.slice(2), processIo()).then((exitCode) => {
  // Code that ignored its abort may still hold the process; what was written is flushed first.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)));
});
