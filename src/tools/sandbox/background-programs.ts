import { ToolError } from '../../kernel/errors.ts';
import type { ProcessExit } from '../../contracts/process.ts';
import { RollingOutput } from './rolling-output.ts';
import { toldOf } from './run-program.ts';
import type { BrokenLimit, StartedProgram } from './start-program.ts';

/** Most programs in the background of one run that live at a time, and of which is known in all. */
const MOST_LIVING = 16;
const MOST_KNOWN = 200;
const STOP_GRACE_MS = 2000;

/** A program in the background as its tools tell of it. */
export interface ProgramState {
  readonly process: string;
  readonly command: string;
  readonly state: 'running' | 'ended';
  /** Where it ended by itself. */
  readonly exitCode?: number;
  /** Where something else ended it: a limit, a signal, or `end_process`. */
  readonly endedBy?: string;
  /** Once it has ended, what a person has to know of what it left in the workspace. */
  readonly warnings?: string[];
}

interface KnownProgram {
  readonly command: string;
  readonly program: StartedProgram;
  readonly output: RollingOutput;
  exit: ProcessExit | null;
  endedBy: BrokenLimit | 'end_process' | null;
  warnings: readonly string[];
}

/** The programs that a run has started in the background, by names that are its own: `p1`, `p2`, and so on. */
export class BackgroundPrograms {
  readonly #known = new Map<string, KnownProgram>();
  #living = 0;

  /** Starts one more; throws a ToolError where too many live already. */
  async start(command: string, start: () => Promise<StartedProgram>): Promise<string> {
    if (this.#living >= MOST_LIVING) {
      throw new ToolError('PERMANENT', `${MOST_LIVING} processes of this run live already; end one of them`);
    }
    if (this.#known.size >= MOST_KNOWN) {
      throw new ToolError('PERMANENT', `this run has started ${MOST_KNOWN} processes already`);
    }
    this.#living++;
    try {
      const program = await start();
      const { group } = program;
      const output = new RollingOutput([group.stdout, group.stderr]);
      const known: KnownProgram = { command, program, output, exit: null, endedBy: null, warnings: [] };
      void group.ended.then((exit) => {
        known.exit = exit;
        known.endedBy ??= program.brokenLimit();
        this.#living--;
      });
      void program.warnings.then((warnings) => (known.warnings = warnings));
      const name = `p${this.#known.size + 1}`;
      this.#known.set(name, known);
      return name;
    } catch (error) {
      this.#living--;
      throw error;
    }
  }

  list(): ProgramState[] {
    return [...this.#known].map(([name, known]) => stateOf(name, known));
  }

  /** What it wrote from a place on, waiting for some of it where there is none yet; throws where there is no such program. */
  async read(
    name: string,
    after: number,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<ProgramState & ReturnType<RollingOutput['read']>> {
    const known = this.#find(name);
    if (known.exit === null) await known.output.waitFor(after, waitMs, signal, known.program.group.ended);
    if (known.exit !== null) await known.program.warnings;
    signal.throwIfAborted();
    return { ...stateOf(name, known), ...known.output.read(after) };
  }

  /** Waits until its output holds a text; false where that did not come in time, or it ended before. */
  async waitForText(name: string, text: string, waitMs: number, signal: AbortSignal): Promise<boolean> {
    const known = this.#find(name);
    const until = performance.now() + waitMs;
    for (let seen = 0; ;) {
      if (known.output.includes(text)) return true;
      const leftMs = until - performance.now();
      if (known.exit !== null || leftMs <= 0) return false;
      seen = known.output.total;
      await known.output.waitFor(seen, leftMs, signal, known.program.group.ended);
      signal.throwIfAborted();
    }
  }

  /** Ends it with all that it has started; one that has ended already stays as it is. */
  async end(name: string): Promise<ProgramState> {
    const known = this.#find(name);
    if (known.exit === null) {
      known.endedBy ??= 'end_process';
      await known.program.group.stop(STOP_GRACE_MS);
      known.exit ??= await known.program.group.ended;
    }
    await known.program.warnings;
    return stateOf(name, known);
  }

  #find(name: string): KnownProgram {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    throw new ToolError(
      'MISSING_INFO',
      `no process ${JSON.stringify(name)} was started; none outlives a run, or its interruption`,
      { details: { process: name, known: [...this.#known.keys()] } },
    );
  }
}

function stateOf(process: string, { command, exit, endedBy, warnings }: KnownProgram): ProgramState {
  if (exit === null) return { process, command, state: 'running' };
  const by = endedBy ?? exit.signal;
  if (by !== null) return { process, command, state: 'ended', endedBy: by, ...toldOf(warnings) };
  return { process, command, state: 'ended', exitCode: exit.code ?? 0, ...toldOf(warnings) };
}
