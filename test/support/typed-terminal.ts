import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { InputStream } from '../../src/cli/io.ts';
import type { Job } from '../../src/cli/progress/job.ts';

/** The input of a terminal, and the job of a process at it, as a test sees them. */
export interface TypedTerminal {
  readonly stdin: InputStream;
  readonly job: Job;
  readonly isRaw: () => boolean;
  /** Types keys: echoed by the terminal and kept for a line unless they are read one by one. */
  readonly type: (keys: string) => void;
  /** Signals that were sent, and to whom. */
  readonly sent: string[];
  /** What another process does to this one. */
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Runs while the process is stopped. */
  whileStopped: (() => void) | null;
  /** Whether the job is the one that the terminal belongs to. */
  isInForeground: boolean;
}

/** A terminal that echoes by `echo`, unless it is told not to. */
export function typedTerminal(echo: (text: string) => void): TypedTerminal {
  let isRaw = false;
  const input = new PassThrough();
  const stdin = Object.assign(input, {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      isRaw = raw;
      return input;
    },
  });
  const signals = new EventEmitter();
  const terminal: TypedTerminal = {
    stdin,
    isRaw: () => isRaw,
    sent: [],
    whileStopped: null,
    isInForeground: true,
    type: (keys) => {
      if (!isRaw) echo(keys);
      input.write(keys);
    },
    signal: (signal) => void signals.emit(signal),
    job: {
      isInForeground: () => terminal.isInForeground,
      send: (signal, to) => {
        terminal.sent.push(`${signal} to ${to}`);
        if (signal === 'SIGTSTP') terminal.whileStopped?.();
      },
      on: (signal, listener) => signals.on(signal, listener),
      off: (signal, listener) => signals.off(signal, listener),
    },
  };
  return terminal;
}
