/*
 * The bound that the system itself keeps on the processes and threads of a program, since whoever counts them from outside
 * may come too late on a machine that they keep busy.
 *
 * 1. Where this process may make control groups, a program begins in one of its own, which takes no more.
 * 2. Elsewhere the user namespace of the sandbox has a count of its own (Linux 5.14), which binds every user but root.
 * 3. Nothing of it is left when the program has ended, but for an empty group where this process was killed.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { taskGroupFolders } from './task-group-folders.ts';

/** What bounds the processes of programs in the sandbox here: a control group, the count of their namespace, or nothing. */
export type TaskBound = 'cgroup' | 'namespace' | 'none';

/** A program as it is started. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

/** A control group for one program with all that it starts. */
export interface TaskGroup {
  /** The same program, which enters the group before it begins. */
  enter(call: ProgramCall): ProgramCall;
  /** Removes the group of a program that has ended; never rejects. */
  remove(): Promise<void>;
}

/** Enters the group whose list of members is the first argument, and becomes the program. */
const ENTER = 'echo 0 >"$1" || exit 125; shift; exec "$@"';

const PROBE_MS = 5000;
const GROUP_NAME = /^sortie-(\d+)-[0-9a-f-]{36}$/;
/** A group that nobody is in yet may be another process's that is about to start its program. */
const LEFT_AFTER_MS = 600_000;
/** What has ended is counted until it was waited for. */
const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;

let parent: Promise<string | null> | null = null;

/** A group that takes so many processes and threads; null where none can be made. */
export async function openTaskGroup(mostTasks: number): Promise<TaskGroup | null> {
  parent ??= findParent();
  const folder = await parent;
  return folder === null ? null : makeGroup(folder, mostTasks).catch(() => null);
}

/** Whether the system counts the processes of a user in each namespace by itself, so that a limit means those of the sandbox. */
export function isCountedByNamespace(kernel: string = release()): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** What bounds the processes of programs in the sandbox on this machine, as it is found by trying it. */
export async function findTaskBound(): Promise<TaskBound> {
  parent ??= findParent();
  if ((await parent) !== null) return 'cgroup';
  return isCountedByNamespace() && process.getuid?.() !== 0 ? 'namespace' : 'none';
}

async function findParent(): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const [groups, mounts] = await Promise.all(
    ['/proc/self/cgroup', '/proc/self/mountinfo'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  for (const folder of taskGroupFolders(groups ?? '', mounts ?? '')) {
    const group = await makeGroup(folder, 16).catch(() => null);
    if (group === null) continue;
    const canEnter = await isDone(group.enter({ program: '/bin/sh', args: ['-c', ':'] }));
    await group.remove();
    if (!canEnter) continue;
    await sweep(folder);
    return folder;
  }
  return null;
}

async function makeGroup(folder: string, mostTasks: number): Promise<TaskGroup> {
  const group = join(folder, `sortie-${process.pid}-${randomUUID()}`);
  await mkdir(group);
  try {
    // Never made where it is missing: then the group counts no processes.
    await writeFile(join(group, 'pids.max'), String(mostTasks), { flag: 'r+' });
  } catch (error) {
    await rmdir(group);
    throw error;
  }
  const members = join(group, 'cgroup.procs');
  return {
    enter: ({ program, args }) => ({
      program: '/bin/sh',
      args: ['-c', ENTER, 'enter', members, program, ...args],
    }),
    remove: () => remove(group),
  };
}

async function remove(group: string): Promise<void> {
  for (let tries = 0; tries < REMOVE_TRIES; tries++) {
    const isRemoved = await rmdir(group).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
    if (isRemoved) return;
    await delay(REMOVE_PAUSE_MS, undefined, { ref: false });
  }
}

function isDone({ program, args }: ProgramCall): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: PROBE_MS, killSignal: 'SIGKILL' }, (error) => {
      resolve(error === null);
    });
  });
}

/** Removes the empty groups of processes that were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = GROUP_NAME.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const made = await stat(join(folder, name)).catch(() => null);
    if (made === null || Date.now() - made.mtimeMs < LEFT_AFTER_MS) continue;
    await rmdir(join(folder, name)).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
