import { access, constants, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { OrchestratorError } from '../../kernel/errors.ts';

/** Calls `use` with a new folder that no program in the workspace (a real path) can reach, and removes it. */
export async function inPrivateFolder<T>(
  workspace: string,
  use: (folder: string) => Promise<T>,
  folders: readonly string[] = [tmpdir(), '/var/tmp', '/dev/shm'],
): Promise<T> {
  for (const each of folders) {
    const parent = await realpath(each).catch(() => workspace);
    if (parent === workspace || parent.startsWith(workspace + sep)) continue;
    if (!(await isWritable(parent))) continue;
    const folder = await mkdtemp(join(parent, 'sortie-'));
    try {
      return await use(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  throw new OrchestratorError(
    'policy_denied',
    `there is no folder for temporary files that lies outside of ${workspace}`,
    { details: { workspace, folders }, hint: 'Set TMPDIR to one that programs of the task do not see.' },
  );
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}
