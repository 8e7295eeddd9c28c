/*
 * The child processes of a run, each a group of its own with whatever it starts itself.
 *
 * 1. A group ends with its leader: what that leaves behind is killed. None lives longer than `close`.
 * 2. A group is known to a watcher before its program begins, so that it is killed when this process dies, whatever by.
 * 3. What leaves its group is found again by the control group that it cannot leave, where the system lets one be made,
 *    and by a mark in its environment, where the system shows that.
 * 4. Of the files that are open in this process it is given its own pipes, and no other.
 */
import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ChildGroup, ProcessExit, ProcessRequest } from '../contracts/process.ts';
import { OrchestratorError, ToolError } from '../kernel/errors.ts';
import { type ControlGroup, openHold } from './control-groups.ts';
import { findProgram } from './find-program.ts';
import { inheritedFiles } from './inherited-files.ts';
import { findMembers, MARK_VARIABLE } from './process-table.ts';
import { ProcessWatcher } from './process-watcher.ts';

/** Most processes of one run at a time. */
const MOST_PROCESSES = 200;
const DEFAULT_GRACE_MS = 1000;
const CLOSE_GRACE_MS = 500;
/** How long a killed process may take to be gone: one that waits for a disk cannot be ended. */
const KILL_PATIENCE_MS = 2000;
const LOOK_MS = 10;

/** Waits for a line, without which it gives up, and becomes the program. */
const GATE = 'read -r _ <&3 || exit 125; exec 3<&-; exec "$@"';

const NONE: ReadonlySet<number> = new Set();

const isWindows = process.platform === 'win32';

/** Starts the processes of one run, knows those that live, and ends them. */
export class ProcessGroups {
  readonly #token = randomUUID();
  readonly #watcher = new ProcessWatcher(this.#token);
  readonly #groups = new Set<RunningGroup>();
  #started = 0;
  #isClosed = false;

  /** Those that have not ended. */
  get living(): readonly ChildGroup[] {
    return [...this.#groups];
  }

  /**
   * Starts a program in a folder; `lifetime` is for the caller to see to. Throws a ToolError where there is no such
   * program or folder, or too many run already.
   */
  async spawn(request: ProcessRequest & { readonly cwd: string }): Promise<ChildGroup> {
    const env = request.env ?? process.env;
    await refuseNoFolder(request.cwd);
    const program = await findProgram(request.command, request.cwd, env['PATH'] ?? '');
    const hold = await openHold(this.#token);
    try {
      return await this.#start(program, request, env, hold);
    } catch (error) {
      await hold?.remove();
      throw error;
    }
  }

  async #start(
    program: string,
    request: ProcessRequest & { readonly cwd: string },
    env: NonNullable<ProcessRequest['env']>,
    hold: ControlGroup | null,
  ): Promise<ChildGroup> {
    if (this.#isClosed) throw new OrchestratorError('aborted', 'the run has ended');
    if (this.#groups.size >= MOST_PROCESSES) {
      throw new ToolError('PERMANENT', `${MOST_PROCESSES} processes of this run live already`);
    }
    const mark = `${this.#token}.${++this.#started}`;
    // Those around it are kept, so that whoever ends them finds this one too.
    const marks = [env[MARK_VARIABLE], mark].filter((each) => each !== undefined).join(' ');
    const child = startGated(program, request, { ...env, [MARK_VARIABLE]: marks });
    const pid = await pidOf(child, request.command);
    const group = new RunningGroup(child, { pid, mark, hold }, request);
    this.#groups.add(group);
    void group.ended.then(() => {
      this.#groups.delete(group);
      this.#watcher.remove(pid);
    });
    // One that cannot be put there is found by its mark alone.
    await hold?.add(pid).catch(() => undefined);
    if (!isWindows) await this.#watcher.add(pid);
    openGate(child);
    return group;
  }

  /** Ends all of them and starts no more; resolves when they are gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#groups].map((group) => group.stop(CLOSE_GRACE_MS)));
    this.#watcher.close();
  }
}

async function refuseNoFolder(folder: string): Promise<void> {
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new ToolError('PERMANENT', `there is no folder ${JSON.stringify(folder)} to start a program in`);
  }
}

function startGated(
  program: string,
  request: ProcessRequest & { cwd: string },
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const { args = [], cwd, hasInput = false } = request;
  const stdin = hasInput ? 'pipe' : 'ignore';
  if (isWindows) return spawn(program, args, { cwd, env, windowsHide: true, stdio: [stdin, 'pipe', 'pipe'] });
  const call = ['-c', GATE, 'gate', program, ...args];
  const options = { cwd, env, detached: true };
  const inherited = inheritedFiles();
  const stdio: StdioOptions = [stdin, 'pipe', 'pipe', 'pipe'];
  if (inherited.length === 0) return spawn('/bin/sh', call, { ...options, stdio });
  const nothing = openSync('/dev/null', 'r+');
  try {
    for (let file = 4; file <= Math.max(...inherited); file++)
      stdio.push(inherited.includes(file) ? nothing : 'ignore');
    return spawn('/bin/sh', call, { ...options, stdio });
  } finally {
    closeSync(nothing);
  }
}

function openGate(child: ChildProcess): void {
  const gate = child.stdio[3];
  if (gate === undefined || gate === null || !('end' in gate)) return;
  gate.end('\n');
}

async function pidOf(child: ChildProcess, command: string): Promise<number> {
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => {
      const code = (error as NodeJS.ErrnoException).code ?? error.message;
      const isPassing = code === 'EAGAIN' || code === 'EMFILE' || code === 'ENOMEM';
      reject(
        new ToolError(isPassing ? 'TRANSIENT' : 'PERMANENT', `cannot start ${command}: ${code}`, {
          cause: error,
        }),
      );
    });
  });
  // What goes wrong later is told by the exit.
  failed.catch(() => undefined);
  child.stdin?.on('error', () => undefined);
  (child.stdio[3] as NodeJS.WritableStream | null | undefined)?.on('error', () => undefined);
  return child.pid ?? failed;
}

class RunningGroup implements ChildGroup {
  readonly pid: number;
  readonly command: string;
  readonly args: readonly string[];
  readonly ended: Promise<ProcessExit>;
  readonly #child: ChildProcess;
  readonly #mark: string;
  readonly #hold: ControlGroup | null;
  #isOver = false;
  #stopping: Promise<void> | null = null;

  constructor(
    child: ChildProcess,
    { pid, mark, hold }: { pid: number; mark: string; hold: ControlGroup | null },
    { command, args = [] }: ProcessRequest,
  ) {
    this.#child = child;
    this.#mark = mark;
    this.#hold = hold;
    this.pid = pid;
    this.command = command;
    this.args = args;
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        // Its pipes are read to their end, which comes when nobody holds them any more.
        void this.#kill()
          .then(() => this.#hold?.remove())
          .then(() => Promise.race([closed, pause(KILL_PATIENCE_MS)]))
          .then(() => {
            this.#isOver = true;
            resolve({ code, signal });
          });
      });
    });
  }

  get stdin(): NodeJS.WritableStream | null {
    return this.#child.stdin;
  }

  get stdout(): NodeJS.ReadableStream {
    return streamOf(this.#child.stdout);
  }

  get stderr(): NodeJS.ReadableStream {
    return streamOf(this.#child.stderr);
  }

  stop(graceMs: number = DEFAULT_GRACE_MS): Promise<void> {
    this.#stopping ??= this.#stop(graceMs);
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    if (this.#isOver) return;
    if (graceMs > 0) {
      await this.#signal('SIGTERM');
      const isGone = this.ended.then(() => true);
      if (await Promise.race([isGone, pause(graceMs).then(() => false)])) return;
    }
    await this.#kill();
    await Promise.race([this.ended, pause(KILL_PATIENCE_MS)]);
  }

  /** Kills whatever is left until nothing is, or its patience is over. */
  async #kill(): Promise<void> {
    for (const until = performance.now() + KILL_PATIENCE_MS; ;) {
      await this.#hold?.kill();
      const left = await this.#signal('SIGKILL');
      if (left === 0 || performance.now() > until) return;
      await delay(LOOK_MS);
    }
  }

  /** Sends a signal to every member; answers how many there were. */
  async #signal(signal: 'SIGTERM' | 'SIGKILL'): Promise<number> {
    if (isWindows) return this.#endTree();
    send(-this.pid, signal);
    const held = (await this.#hold?.members()) ?? NONE;
    const members = await findMembers(this.pid, this.#mark, held);
    for (const member of members) send(member, signal);
    return members.length;
  }

  #endTree(): number {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      spawn('taskkill', ['/pid', String(this.pid), '/T', '/F'], { stdio: 'ignore' }).once(
        'error',
        () => undefined,
      );
    }
    return 0;
  }
}

function streamOf(stream: ChildProcess['stdout']): NodeJS.ReadableStream {
  if (stream === null) throw new OrchestratorError('internal', 'a process was started without its pipes');
  return stream;
}

function send(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}

/** A wait that does not hold up the end of the process. */
function pause(durationMs: number): Promise<void> {
  return delay(durationMs, undefined, { ref: false });
}
