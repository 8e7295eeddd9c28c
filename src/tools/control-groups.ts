/*
 * Control groups (Linux): what a process starts is in its group too, whatever group, session, parent or environment it
 * leaves behind.
 *
 * 1. A group is one folder, whose name says which process made it, and on whose behalf.
 * 2. Nothing of it is left when its program has ended, but for an empty group where this process was killed.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ownGroupFolders } from './sandbox/task-group-folders.ts';

/** A program as it is started. */
export interface ProgramCall {
  readonly program: string;
  readonly args: readonly string[];
}

/** On whose behalf the groups are made that bound the tasks of programs. */
export const TASK_OWNER = randomUUID();

/** Enters the group whose list of members is the first argument, and becomes the program. */
const ENTER = 'echo 0 >"$1" || exit 125; shift; exec "$@"';

const PROBE_MS = 5000;
const GROUP_NAME = /^sortie-(\d+)-[0-9a-f-]{36}-\d+$/;
/** A group that nobody is in yet may be another process's that is about to start its program. */
const LEFT_AFTER_MS = 600_000;
/** What has ended is counted until it was waited for. */
const REMOVE_TRIES = 50;
const REMOVE_PAUSE_MS = 20;

let made = 0;
let hold: Promise<string | null> | null = null;

/** A control group for one program with all that it starts. */
export class ControlGroup {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** A new one; rejects where none can be made in that folder. */
  static async make(parent: string, owner: string): Promise<ControlGroup> {
    const folder = join(parent, `sortie-${process.pid}-${owner}-${++made}`);
    await mkdir(folder);
    return new ControlGroup(folder);
  }

  /** The same program, which enters the group before it begins. */
  enter({ program, args }: ProgramCall): ProgramCall {
    return {
      program: '/bin/sh',
      args: ['-c', ENTER, 'enter', join(this.folder, 'cgroup.procs'), program, ...args],
    };
  }

  /** Puts a process into it; rejects where it is not let. */
  async add(pid: number): Promise<void> {
    await writeFile(join(this.folder, 'cgroup.procs'), String(pid), { flag: 'r+' });
  }

  /** Ids of the processes in it, and in the groups that those have made. */
  async members(): Promise<ReadonlySet<number>> {
    const folders = await foldersOf(this.folder);
    const lists = await Promise.all(
      folders.map((folder) => readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')),
    );
    // Those of a namespace that is not seen from here are told of as 0.
    return new Set(lists.flatMap((list) => list.split('\n').map(Number)).filter((pid) => pid > 0));
  }

  /** Kills all of them: at once where the system can (Linux 5.14), else one by one. */
  async kill(): Promise<void> {
    const killing = writeFile(join(this.folder, 'cgroup.kill'), '1', { flag: 'r+' });
    if (await isDone(killing)) return;
    for (const pid of await this.members()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  /** Removes it with whatever is still in it; never rejects. */
  async remove(): Promise<void> {
    for (let tries = 0; tries < REMOVE_TRIES; tries++) {
      if (await removeFolder(this.folder)) return;
      await this.kill();
      await delay(REMOVE_PAUSE_MS, undefined, { ref: false });
    }
  }
}

/** A group that holds a program together with all that it starts, below the limits of this process's own; null where none can be made. */
export async function openHold(owner: string): Promise<ControlGroup | null> {
  const folder = await findProcessHold();
  return folder === null ? null : ControlGroup.make(folder, owner).catch(() => null);
}

/** The folder of the groups that hold programs, as it is found by trying it once in a process; null where none can be made. */
export function findProcessHold(): Promise<string | null> {
  const owner = randomUUID();
  hold ??= findUsableFolder(ownGroupFolders(...readGroups()), (folder) => ControlGroup.make(folder, owner));
  return hold;
}

/** The first of the folders in which a group can be made and entered; null where there is none. */
export async function findUsableFolder(
  folders: readonly string[],
  make: (folder: string) => Promise<ControlGroup>,
): Promise<string | null> {
  for (const folder of folders) {
    const group = await make(folder).catch(() => null);
    if (group === null) continue;
    const canEnter = await isRun(group.enter({ program: '/bin/sh', args: ['-c', ':'] }));
    await group.remove();
    if (!canEnter) continue;
    await sweep(folder);
    return folder;
  }
  return null;
}

/** What the system says of the groups of this process and of their mounts; nothing where it has none. */
export function readGroups(): [groups: string, mounts: string] {
  try {
    return [readFileSync('/proc/self/cgroup', 'utf8'), readFileSync('/proc/self/mountinfo', 'utf8')];
  } catch {
    return ['', ''];
  }
}

/** A folder and those below it, outermost first. */
async function foldersOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const below = entries.filter((entry) => entry.isDirectory());
  return [folder, ...below.map(({ parentPath, name }) => join(parentPath, name))];
}

/** Whether it is gone. */
async function removeFolder(group: string): Promise<boolean> {
  for (const folder of (await foldersOf(group)).reverse()) {
    const isGone = await rmdir(folder).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
    if (!isGone) return false;
  }
  return true;
}

function isRun({ program, args }: ProgramCall): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: PROBE_MS, killSignal: 'SIGKILL' }, (error) => {
      resolve(error === null);
    });
  });
}

function isDone(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Removes the empty groups of processes that were killed. */
async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = GROUP_NAME.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const group = await stat(join(folder, name)).catch(() => null);
    if (group === null || Date.now() - group.mtimeMs < LEFT_AFTER_MS) continue;
    await removeFolder(join(folder, name));
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
