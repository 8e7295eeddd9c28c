import { PassThrough, Readable } from 'node:stream';
import type { Io } from '../../../src/cli/io.ts';

/** A world that keeps what is written to it. */
export interface RecordedIo extends Io {
  readonly written: { stdout: string; stderr: string };
}

/** A world without a terminal; `columns` makes both streams one. */
export function recordIo(env: Io['env'] = {}, columns?: number): RecordedIo {
  const written = { stdout: '', stderr: '' };
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      written[name] += text;
    },
    ...(columns === undefined ? {} : { isTTY: true, columns }),
  });
  return { written, env, stdin: Readable.from([]), stdout: stream('stdout'), stderr: stream('stderr') };
}

/** A world with a person at the terminal who answers this. */
export function atTerminal(answer: string): RecordedIo {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(answer);
  return { ...recordIo(), stdin };
}
