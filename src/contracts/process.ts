/** A program to start as a process of its own. Nothing of it is interpreted by a shell. */
export interface ProcessRequest {
  /** A name that is looked up in PATH, or a path. */
  readonly command: string;
  readonly args?: readonly string[];
  /** The workspace by default. */
  readonly cwd?: string;
  /** The whole environment; that of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Opens `stdin`; without it the program reads an empty input. */
  readonly hasInput?: boolean;
  /** How long it may live: as long as the call that starts it (the default), or as the run. */
  readonly lifetime?: 'call' | 'run';
}

/** How a process ended: its exit code, or the signal that ended it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process with everything that it starts itself: they end together, at the latest with the run. */
export interface ChildGroup {
  readonly pid: number;
  readonly command: string;
  readonly args: readonly string[];
  /** Null where the request did not ask for it. */
  readonly stdin: NodeJS.WritableStream | null;
  /** What nobody reads holds the program up once the pipe is full. */
  readonly stdout: NodeJS.ReadableStream;
  readonly stderr: NodeJS.ReadableStream;
  /** Resolves when the process and all that it has started are gone. */
  readonly ended: Promise<ProcessExit>;
  /** Ends all of them: asked to at first, killed after `graceMs`. Resolves when they are gone, or cannot be ended. */
  stop(graceMs?: number): Promise<void>;
}
