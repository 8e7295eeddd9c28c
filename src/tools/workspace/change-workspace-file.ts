import { randomBytes } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { systemCode, toFileError } from './file-error.ts';
import { atPlace, type FindOptions, type Place } from './find-place.ts';
import { notAFile } from './read-workspace-file.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** What a change of a file is made with. */
export type ChangeContext = Pick<ToolContext, 'workspace' | 'signal' | 'permits' | 'kept'>;

interface NamedPlace extends Place {
  readonly name: string;
}

/**
 * Writes a file of the workspace anew, whole or not at all, missing folders with it; other names of the same file keep
 * its old content. `write` fills the new file, which takes the place of the old one when it returns.
 */
export async function replaceWorkspaceFile<T>(
  path: string,
  context: ChangeContext,
  write: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  return changeAt(context, path, { makesFolders: true }, async ({ folder, name }) => {
    const target = folder.at(name);
    const old = await statFile(target, path);
    if (old !== null) await access(target, constants.W_OK);
    const draft = folder.at(`.${randomBytes(8).toString('hex')}.part`);
    const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
    try {
      try {
        const result = await write(handle);
        if (old !== null) await handle.chmod(old.mode & 0o777);
        await handle.sync();
        context.signal.throwIfAborted();
        await rename(draft, target);
        return result;
      } finally {
        await handle.close();
      }
    } catch (error) {
      await unlink(draft).catch(() => undefined);
      throw error;
    }
  });
}

/** Adds bytes to the end of a file of the workspace, which is made where it is missing; its size afterwards. */
export async function appendWorkspaceFile(
  path: string,
  context: ChangeContext,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<number> {
  return changeAt(context, path, { makesFolders: true }, async ({ folder, name }) => {
    const flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    const handle = await open(folder.at(name), flags, 0o666).catch((error: unknown) => {
      // A pipe without a reader cannot be opened for writing.
      throw systemCode(error) === 'ENXIO' ? notAFile(path) : error;
    });
    try {
      const stats = await handle.stat();
      refuseOtherThanFile(stats, path);
      if (stats.nlink > 1) {
        throw new ToolError('POLICY', `${JSON.stringify(path)} has other names that may lie elsewhere`, {
          details: { path, names: stats.nlink },
        });
      }
      if (stats.size + bytes.length > maxBytes) {
        throw new ToolError('PERMANENT', `${JSON.stringify(path)} would be larger than ${maxBytes} bytes`, {
          details: { path, bytes: stats.size, added: bytes.length, maxBytes },
        });
      }
      context.signal.throwIfAborted();
      await handle.appendFile(bytes);
      await handle.sync();
      return stats.size + bytes.length;
    } finally {
      await handle.close();
    }
  });
}

/** Removes a file of the workspace, or a link itself and never what it leads to; its size in bytes. */
export async function removeWorkspaceFile(path: string, context: ChangeContext): Promise<number> {
  return changeAt(context, path, { keepsLink: true }, async ({ folder, name }) => {
    const target = folder.at(name);
    const stats = await lstat(target);
    if (!stats.isSymbolicLink()) refuseOtherThanFile(stats, path);
    context.signal.throwIfAborted();
    await unlink(target);
    return stats.size;
  });
}

async function changeAt<T>(
  { workspace, permits, kept }: ChangeContext,
  path: string,
  options: FindOptions,
  change: (place: NamedPlace) => Promise<T>,
): Promise<T> {
  try {
    return await atPlace(workspace, path, { ...options, permits, changes: { kept } }, (place) => {
      const { name } = place;
      if (name === null) throw notAFile(path);
      return change({ ...place, name });
    });
  } catch (error) {
    throw toFileError(error, path, 'change');
  }
}

/** What is known of the file that is to be replaced; null where there is none yet. */
async function statFile(target: string, path: string): Promise<Stats | null> {
  try {
    const stats = await lstat(target);
    refuseOtherThanFile(stats, path);
    return stats;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

function refuseOtherThanFile(stats: Stats, path: string): void {
  if (!stats.isFile()) throw notAFile(path);
}
