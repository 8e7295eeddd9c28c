/** What the command needs of an output stream; `process.stdout` is one. */
export interface OutputStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width of the terminal in columns. */
  readonly columns?: number;
}

/** The world of one invocation: where it writes, what it is told. */
export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
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

/** Whether a picture may be redrawn in place on this stream. */
export function canRedraw(stream: OutputStream, env: Io['env']): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

/** Writes text that ends with a line break. */
export function writeLine(stream: OutputStream, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`);
}
