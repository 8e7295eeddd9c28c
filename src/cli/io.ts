/** What the command needs of an output stream; `process.stdout` is one. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal in columns. */
  readonly columns?: number;
  /** Its height in rows. */
  readonly rows?: number;
  /** Tells of changes of its size. */
  on?(event: 'resize', listener: () => void): unknown;
  off?(event: 'resize', listener: () => void): unknown;
}

/** What the command needs of its input; `process.stdin` is one. */
export type InputStream = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  readonly readableEnded?: boolean;
  /** Whether keys come as they are typed, without an echo and without signals. */
  setRawMode?(isRaw: boolean): unknown;
  /** Whether waiting for it keeps the process alive. */
  ref?(): unknown;
  unref?(): unknown;
};

/** The world of one invocation: where it writes, what it is told. */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: InputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The world of this process. */
export function processIo(): Io {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    // Opened only when somebody is asked.
    get stdin() {
      return process.stdin;
    },
    env: process.env,
  };
}

/** Columns to lay text out in: those of the terminal, else of COLUMNS, else the fallback. */
export function widthOf(stream: OutputStream, env: Io['env'], fallback = 80): number {
  const columns = stream.columns ?? Number(env['COLUMNS']);
  return Number.isSafeInteger(columns) && columns >= 20 ? columns : fallback;
}

const FALLBACK_ROWS = 24;

/** The size of a terminal as it is now, however small; what it does not say is guessed. */
export function sizeOf(stream: OutputStream, env: Io['env']): { columns: number; rows: number } {
  const { columns = 0, rows = 0 } = stream;
  return {
    columns: columns > 0 ? columns : widthOf(stream, env),
    rows: rows > 0 ? rows : FALLBACK_ROWS,
  };
}

/** Whether a picture may be redrawn in place on this stream. */
export function canRedraw(stream: OutputStream, env: Io['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Writes text that ends with a line break. */
export function writeLine(stream: OutputStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}
