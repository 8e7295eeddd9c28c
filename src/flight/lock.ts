/*
 * One process writes a run. The lock is a folder that holds one file, named by a token drawn for this taking, with the
 * owner in it:
 *
 * - It is taken by renaming a prepared folder into place, which fails where another is there. So a lock is never
 *   without its owner, and of two takers one wins.
 * - A dead owner's file is deleted by its token, which can hit no other owner; the empty folder can then be replaced.
 * - An owner is dead when no process has its pid, or one that started at another time (the pid was given anew).
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { OrchestratorError } from '../kernel/errors.ts';
import { processStatFields } from '../kernel/process-stat.ts';
import { type Disk, hasErrorCode } from './disk.ts';

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in the system's own unit; null where it does not say. */
  readonly started: string | null;
}

/** How the owner of a lock is looked up. */
export interface ProcessTable {
  readonly host: string;
  readonly pid: number;
  /** Start time of a process: null where the system does not say, undefined where there is no such process. */
  startOf(pid: number): string | null | undefined;
}

const MAX_ATTEMPTS = 50;
const OCCUPIED = ['EEXIST', 'ENOTEMPTY', 'EPERM', 'EACCES', 'ENOTDIR', 'EBUSY'];

/** Takes the lock of a folder and returns what gives it back; throws `run_locked`, naming the owner. */
export async function takeLock(
  disk: Disk,
  folder: string,
  processes: ProcessTable = systemProcesses,
): Promise<() => Promise<void>> {
  const lock = join(folder, 'lock');
  const token = randomUUID();
  const prepared = join(folder, `.lock-${token}`);
  const owner: Owner = {
    pid: processes.pid,
    host: processes.host,
    started: processes.startOf(processes.pid) ?? null,
  };
  await disk.mkdir(prepared);
  try {
    const handle = await disk.open(join(prepared, token), 'wx');
    await handle.writeFile(JSON.stringify(owner) + '\n').finally(() => handle.close());
    await placeLock(disk, prepared, lock, processes);
  } catch (error) {
    await disk.rm(prepared, { recursive: true, force: true });
    throw error;
  }
  return async () => {
    await ignoring(['ENOENT'], disk.unlink(join(lock, token)));
    await ignoring(['ENOENT', ...OCCUPIED], disk.rmdir(lock));
  };
}

/** Whether the lock of a folder has an owner that lives. */
export async function isLocked(
  disk: Disk,
  folder: string,
  processes: ProcessTable = systemProcesses,
): Promise<boolean> {
  const lock = join(folder, 'lock');
  try {
    for (const token of await disk.readdir(lock)) {
      const owner = await readOwner(disk, join(lock, token));
      if (owner !== null && isAlive(owner, processes)) return true;
    }
    return false;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

async function placeLock(disk: Disk, prepared: string, lock: string, processes: ProcessTable): Promise<void> {
  let lastError: unknown;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    try {
      await disk.rename(prepared, lock);
      return;
    } catch (error) {
      if (!hasErrorCode(error, ...OCCUPIED)) throw error;
      lastError = error;
    }
    await clearDeadOwner(disk, lock, processes);
    // Others may be taking it just now.
    if (attempt > 2) await delay(attempt);
  }
  throw lastError;
}

/** Makes way where the lock has no living owner; throws `run_locked` where it has one. */
async function clearDeadOwner(disk: Disk, lock: string, processes: ProcessTable): Promise<void> {
  let tokens: string[];
  try {
    tokens = await disk.readdir(lock);
  } catch (error) {
    // Given back in the meantime.
    if (hasErrorCode(error, 'ENOENT')) return;
    throw error;
  }
  for (const token of tokens) {
    const owner = await readOwner(disk, join(lock, token));
    if (owner !== null && isAlive(owner, processes)) throw lockedBy(owner, lock, processes);
    await ignoring(['ENOENT'], disk.unlink(join(lock, token)));
  }
  // Where a folder cannot be renamed onto an empty one.
  await ignoring(['ENOENT', ...OCCUPIED], disk.rmdir(lock));
}

/** The owner in a lock; null where the file is gone or not whole, which only a crash of the machine leaves. */
async function readOwner(disk: Disk, path: string): Promise<Owner | null> {
  try {
    const { pid, host, started } = JSON.parse(await disk.readFile(path, 'utf8')) as Partial<Owner>;
    if (typeof pid !== 'number' || typeof host !== 'string') return null;
    return { pid, host, started: started ?? null };
  } catch (error) {
    if (error instanceof SyntaxError || hasErrorCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isAlive(owner: Owner, processes: ProcessTable): boolean {
  if (owner.host !== processes.host) return true;
  const started = processes.startOf(owner.pid);
  if (started === undefined) return false;
  return started === null || owner.started === null || started === owner.started;
}

function lockedBy(owner: Owner, lock: string, processes: ProcessTable): OrchestratorError {
  const isHere = owner.host === processes.host;
  const who = isHere && owner.pid === processes.pid ? 'this process' : `process ${owner.pid}`;
  return new OrchestratorError(
    'run_locked',
    `run ${basename(dirname(lock))} is held by ${who}${isHere ? '' : ` on ${owner.host}`}`,
    {
      details: { pid: owner.pid, host: owner.host, lock },
      ...(isHere ? {} : { hint: `End it there; if that machine is gone, delete ${lock}.` }),
    },
  );
}

async function ignoring(codes: readonly string[], action: Promise<void>): Promise<void> {
  try {
    await action;
  } catch (error) {
    if (!hasErrorCode(error, ...codes)) throw error;
  }
}

const systemProcesses: ProcessTable = {
  host: hostname(),
  pid: process.pid,
  startOf(pid) {
    try {
      process.kill(pid, 0);
    } catch (error) {
      // EPERM: it lives, but belongs to someone else.
      if (!hasErrorCode(error, 'EPERM')) return undefined;
    }
    return readStart(pid);
  },
};

/** Start time from /proc, in ticks since boot; undefined for a process that ended and was not yet waited for. */
function readStart(pid: number): string | null | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const fields = processStatFields(stat);
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : (fields[19] ?? null);
}
