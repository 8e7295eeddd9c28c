/*
 * Programs that a model has written or chosen. Each runs without network, sees the system's programs and the workspace,
 * and ends with the call or the run that starts it.
 *
 * 1. Where there is no sandbox nothing runs, unless the policy of the task says so plainly.
 * 2. Its environment is made here: nothing of this process's own goes into it.
 * 3. Its memory and its processes are counted with those of whatever it starts; above the limit all of them end.
 * 4. Of processes and threads the system itself lets no more begin than twice that, where it can be told to.
 */
import { homedir } from 'node:os';
import { realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import type { Policy } from '../../contracts/policy.ts';
import type { ChildGroup } from '../../contracts/process.ts';
import type { ToolContext } from '../../contracts/tool.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import type { ProgramCall } from '../control-groups.ts';
import { familyMemoryBytes, familyUsage } from './family-usage.ts';
import { type Covers, findCovers } from './find-covers.ts';
import { findSandbox, type Sandbox } from './find-sandbox.ts';
import { findGitPlaces, tellGitPlaces } from './git-places.ts';
import { programEnvironment } from './program-environment.ts';
import {
  folderArguments,
  isolationArguments,
  type SandboxFolders,
  SYSTEM_FOLDERS,
} from './sandbox-arguments.ts';
import { startAlone, WAIT_AT_FIRST } from './stand-still.ts';
import { isCountedByNamespace, openTaskGroup } from './task-limit.ts';

const MEBIBYTE = 1024 * 1024;
const MOST_PROCESSES = 256;
/** Threads count: a process of an interpreter has a dozen. */
const MOST_TASKS = 2 * MOST_PROCESSES;
const MOST_FILES = 1024;
const LARGEST_FILE_BYTES = 1024 * MEBIBYTE;
const LOOK_MS = 100;

/** Address space is not memory: interpreters reserve far more than they use. */
const ADDRESS_SPACE_FACTOR = 8;

/** Sets the limits that the system keeps for each process by itself, and becomes the program. */
const LIMITER =
  'ulimit -c 0; ulimit -f "$1"; ulimit -v "$2"; ulimit -n "$3"; { ulimit -u "$4" || ulimit -p "$4"; } 2>/dev/null; shift 4; exec "$@"';

const NO_COVERS: Covers = {
  ...{ anchors: [], covers: [], release: () => undefined },
  tellMoved: () => Promise.resolve([]),
};

/** How programs are confined in a task. */
export interface Confinement {
  /** Required where it is left out. */
  readonly sandbox?: Policy['sandbox'] | undefined;
  /** Where bubblewrap is looked for; PATH of this process by default. */
  readonly path?: string | undefined;
  /** Processes and threads that the system lets a program have at a time; 512 by default. */
  readonly mostTasks?: number | undefined;
}

/** A program to be started in the workspace. */
export interface ProgramRequest {
  readonly command: string;
  readonly args: readonly string[];
  /** The folder that it starts in, as a real path; the workspace by default. */
  readonly cwd?: string;
  /** Further folders that it may read, as real paths. */
  readonly readable?: readonly string[];
  /** Variables beside the few that every program has. */
  readonly env?: Readonly<Record<string, string>>;
  readonly memoryBytes: number;
  readonly lifetime: 'call' | 'run';
  readonly hasInput?: boolean;
  /** For programs that this program itself has chosen, such as git. */
  readonly hasNetwork?: boolean;
}

/** Which limit a program was ended for. */
export type BrokenLimit = 'memory' | 'processes';

/** A program that runs. */
export interface StartedProgram {
  readonly group: ChildGroup;
  readonly isConfined: boolean;
  /** The limit that it broke, which has ended it; null while it keeps to them. */
  brokenLimit(): BrokenLimit | null;
  /** Settles when it has ended: what a person has to know of what it left in the workspace. */
  readonly warnings: Promise<readonly string[]>;
}

/** Starts a program in the sandbox; throws `policy_denied` with the reason where it may not run. */
export async function startProgram(
  context: Pick<ToolContext, 'spawn' | 'workspace' | 'kept'>,
  confinement: Confinement,
  request: ProgramRequest,
): Promise<StartedProgram> {
  const sandbox = await findSandbox(confinement.path);
  if (!sandbox.isUsable && confinement.sandbox !== 'allow_without') throw noSandbox(sandbox.reason);
  const workspace = await realpath(context.workspace);
  refuseWideWorkspace(workspace);
  const denied = context.kept?.denied;
  const start = (first = ''): Promise<StartedProgram> =>
    startIn(workspace, { context, confinement, sandbox, request, first });
  return sandbox.isUsable && denied !== undefined ? startAlone(denied, () => start(WAIT_AT_FIRST)) : start();
}

interface Start {
  readonly context: Pick<ToolContext, 'spawn' | 'kept'>;
  readonly confinement: Confinement;
  readonly sandbox: Sandbox;
  readonly request: ProgramRequest;
  /** What is done in the sandbox before the program, as a shell reads it. */
  readonly first: string;
}

async function startIn(
  workspace: string,
  { context, confinement, sandbox, request, first }: Start,
): Promise<StartedProgram> {
  const { memoryBytes, lifetime, hasInput = false } = request;
  const isConfined = sandbox.isUsable;
  const { mostTasks = MOST_TASKS } = confinement;
  const cwd = request.cwd ?? workspace;
  const bound = isConfined && isCountedByNamespace() ? String(mostTasks) : 'unlimited';
  const limited = limit(request, bound, first);
  const seen = [...SYSTEM_FOLDERS, ...(request.readable ?? [])];
  const kept = sandbox.isUsable ? await findCovers(workspace, seen, context.kept) : NO_COVERS;
  const call = sandbox.isUsable ? confine(sandbox, limited, request, { workspace, cwd, kept }) : limited;
  const before = await findGitPlaces(workspace);
  const tasks = await openTaskGroup(mostTasks);
  const { program, args } = tasks?.enter(call) ?? call;
  const env = { ...programEnvironment(isConfined), ...request.env };
  try {
    const group = await context.spawn({ command: program, args, cwd, env, lifetime, hasInput });
    void group.ended.then(() => {
      kept.release();
      return tasks?.remove();
    });
    const warnings = group.ended.then(async () => [
      ...tellGitPlaces(before, await findGitPlaces(workspace), confinement),
      ...(await kept.tellMoved()),
    ]);
    return { group, isConfined, brokenLimit: watchLimits(group, memoryBytes), warnings };
  } catch (error) {
    kept.release();
    await tasks?.remove();
    throw error;
  }
}

/** The program with the limits of each process. Outside of a namespace everything that this user runs would count as its tasks. */
function limit(
  { command, args, memoryBytes }: ProgramRequest,
  mostTasks: string,
  first: string,
): ProgramCall {
  const sizes = [LARGEST_FILE_BYTES / 512, (memoryBytes * ADDRESS_SPACE_FACTOR) / 1024, MOST_FILES];
  return {
    program: '/bin/sh',
    args: ['-c', first + LIMITER, 'limiter', ...sizes.map(String), mostTasks, command, ...args],
  };
}

function confine(
  { program, isRecent }: Extract<Sandbox, { isUsable: true }>,
  inner: ProgramCall,
  { hasNetwork = false, readable = [] }: ProgramRequest,
  folders: Omit<SandboxFolders, 'readable'>,
): ProgramCall {
  const isolation = isolationArguments({ hasNetwork, isRecent });
  const mounts = folderArguments({ ...folders, readable });
  return { program, args: [...isolation, ...mounts, '--', inner.program, ...inner.args] };
}

function noSandbox(reason: string): OrchestratorError {
  return new OrchestratorError('policy_denied', `no program may run without a sandbox: ${reason}`, {
    details: { sandbox: reason },
    hint: 'Install bubblewrap, or write `policy: { sandbox: allow_without }` if programs may do whatever you may.',
  });
}

/** What lies in the workspace can be read and written: a home folder would be laid open whole. */
function refuseWideWorkspace(workspace: string): void {
  const below = relative(workspace, homedir());
  const holdsHome = below === '' || (below !== '..' && !below.startsWith(`..${sep}`));
  if (workspace !== '/' && !holdsHome) return;
  throw new OrchestratorError(
    'policy_denied',
    `programs do not run in ${workspace}: the home folder of this user lies in it`,
    { details: { workspace }, hint: 'Put the task file into a folder of its own.' },
  );
}

/** Looks at the program from time to time until it has ended; ends it where it takes too much. */
function watchLimits(group: ChildGroup, memoryBytes: number): () => BrokenLimit | null {
  let broken: BrokenLimit | null = null;
  const timer = setInterval(() => {
    const usage = familyUsage(group.pid);
    if (usage.processes > MOST_PROCESSES) broken = 'processes';
    else if (usage.memoryBytes > memoryBytes && familyMemoryBytes(group.pid) > memoryBytes) broken = 'memory';
    if (broken === null) return;
    clearInterval(timer);
    void group.stop(0);
  }, LOOK_MS);
  timer.unref();
  void group.ended.then(() => clearInterval(timer));
  return () => broken;
}
