/*
 * The bound that the system itself keeps on the processes and threads of a program, since whoever counts them from outside
 * may come too late on a machine that they keep busy.
 *
 * 1. Where this process may make control groups, a program begins in one of its own, which takes no more.
 * 2. Elsewhere the user namespace of the sandbox has a count of its own (Linux 5.14), which binds every user but root.
 */
import { rmdir, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { ControlGroup, findUsableFolder, readGroups, TASK_OWNER } from '../control-groups.ts';
import { taskGroupFolders } from './task-group-folders.ts';

/** What bounds the processes of programs in the sandbox here: a control group, the count of their namespace, or nothing. */
export type TaskBound = 'cgroup' | 'namespace' | 'none';

let parent: Promise<string | null> | null = null;

/** A group that takes so many processes and threads; null where none can be made. */
export async function openTaskGroup(mostTasks: number): Promise<ControlGroup | null> {
  const folder = await findParent();
  return folder === null ? null : makeGroup(folder, mostTasks).catch(() => null);
}

/** Whether the system counts the processes of a user in each namespace by itself, so that a limit means those of the sandbox. */
export function isCountedByNamespace(kernel: string = release()): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return major > 5 || (major === 5 && minor >= 14);
}

/** What bounds the processes of programs in the sandbox on this machine, as it is found by trying it. */
export async function findTaskBound(): Promise<TaskBound> {
  if ((await findParent()) !== null) return 'cgroup';
  return isCountedByNamespace() && process.getuid?.() !== 0 ? 'namespace' : 'none';
}

function findParent(): Promise<string | null> {
  parent ??= findUsableFolder(taskGroupFolders(...readGroups()), (folder) => makeGroup(folder, 16));
  return parent;
}

async function makeGroup(folder: string, mostTasks: number): Promise<ControlGroup> {
  const group = await ControlGroup.make(folder, TASK_OWNER);
  try {
    // Never made where it is missing: then the group counts no processes.
    await writeFile(join(group.folder, 'pids.max'), String(mostTasks), { flag: 'r+' });
  } catch (error) {
    await rmdir(group.folder);
    throw error;
  }
  return group;
}
