import xterm from '@xterm/headless';
import { Readable } from 'node:stream';
import type { Io, OutputStream } from '../../src/cli/io.ts';

/** A terminal of which the program sees a stream and the test the screen. */
export interface VirtualTerminal {
  readonly stream: OutputStream & { columns: number; rows: number };
  /** What was written, one entry a write. */
  readonly writes: string[];
  /** A program's world in which both streams are this terminal. */
  io(env?: Io['env']): Io;
  /** Changes the size as a person at the window does, and tells the program. */
  resize(columns: number, rows: number): Promise<void>;
  /** The rows of the screen as they stand, once all that was written has been taken in. */
  screen(): Promise<string[]>;
  /** The same with all that was scrolled off before it. */
  history(): Promise<string[]>;
  /** Rows of the screen whose text has been written to since it was last asked. */
  touched(): Promise<number[]>;
}

const SCROLLBACK = 1000;
const MAX_TURNS = 100;

/**
 * Opens a terminal of a size; where timers are faked, `runTimers` runs those that are due next. The clock of
 * `performance` is to be faked with them: after 12 ms of it the emulator puts off what it has not read yet.
 */
export function openTerminal(columns: number, rows: number, runTimers?: () => void): VirtualTerminal {
  const terminal = new xterm.Terminal({
    ...{ cols: columns, rows, scrollback: SCROLLBACK },
    ...{ allowProposedApi: true, convertEol: true },
  });
  const listeners = new Set<() => void>();
  const writes: string[] = [];
  const touchedRows = new Set<number>();
  let unread = 0;
  const settle = async (): Promise<void> => {
    if (runTimers !== undefined) {
      for (let turns = 0; unread > 0 && turns < MAX_TURNS; turns++) runTimers();
      if (unread > 0) throw new Error(`the emulator left ${unread} writes unread`);
    }
    while (unread > 0) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  const stream = {
    isTTY: true as const,
    columns,
    rows,
    write(text: string): boolean {
      writes.push(text);
      unread++;
      terminal.write(text, () => unread--);
      return true;
    },
    on: (_: 'resize', listener: () => void) => listeners.add(listener),
    off: (_: 'resize', listener: () => void) => listeners.delete(listener),
  };
  // Where text is printed or a row erased, the cursor is in a row that is touched.
  terminal.parser.registerCsiHandler({ final: 'K' }, () => {
    touchedRows.add(terminal.buffer.active.cursorY);
    return false;
  });
  const rowsFrom = (first: number): string[] => {
    const buffer = terminal.buffer.active;
    const lines: string[] = [];
    for (let row = first; row < buffer.length; row++)
      lines.push(buffer.getLine(row)?.translateToString(true) ?? '');
    return lines;
  };
  return {
    stream,
    writes,
    io: (env = {}) => ({ stdout: stream, stderr: stream, stdin: Readable.from([]), env }),
    async resize(to, toRows) {
      await settle();
      terminal.resize(to, toRows);
      [stream.columns, stream.rows] = [to, toRows];
      for (const listener of listeners) listener();
      await settle();
    },
    async screen() {
      await settle();
      return rowsFrom(terminal.buffer.active.baseY);
    },
    async history() {
      await settle();
      return rowsFrom(0);
    },
    async touched() {
      await settle();
      const rowsTouched = [...touchedRows].sort((a, b) => a - b);
      touchedRows.clear();
      return rowsTouched;
    },
  };
}
