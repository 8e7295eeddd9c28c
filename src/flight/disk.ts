import * as promises from 'node:fs/promises';
import { dirname } from 'node:path';

/** The calls to the file system that storage makes, so that tests can let each of them fail. */
export type Disk = Pick<
  typeof promises,
  'open' | 'rename' | 'mkdir' | 'readFile' | 'readdir' | 'unlink' | 'rmdir' | 'rm'
>;

/** The real file system. */
export const realDisk: Disk = promises;

/** True for an error of the file system with one of these codes. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Makes the names in a folder durable; does nothing where the system cannot (Windows, some network mounts). */
export async function syncFolder(disk: Disk, folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await disk.open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!hasErrorCode(error, 'EINVAL', 'ENOTSUP')) throw error;
  } finally {
    await handle.close();
  }
}

/** Makes a folder with its parents, every name of them durable. */
export async function makeFolder(disk: Disk, folder: string): Promise<void> {
  for (const made of await makeMissing(disk, folder)) await syncFolder(disk, dirname(made));
}

/** The folders that it made. Where a folder is there but takes no other (/proc), `recursive` would try for ever. */
async function makeMissing(disk: Disk, folder: string): Promise<string[]> {
  const failure = await tryMaking(disk, folder);
  if (failure === null) return [folder];
  if (!hasErrorCode(failure, 'ENOENT') || dirname(folder) === folder)
    return leaveAsItIs(disk, folder, failure);
  const made = await makeMissing(disk, dirname(folder));
  const again = await tryMaking(disk, folder);
  return again === null ? [...made, folder] : [...made, ...(await leaveAsItIs(disk, folder, again))];
}

async function tryMaking(disk: Disk, folder: string): Promise<unknown> {
  try {
    await disk.mkdir(folder);
    return null;
  } catch (error) {
    return error;
  }
}

/** What is there already is a folder, or no folder can be there. */
async function leaveAsItIs(disk: Disk, folder: string, failure: unknown): Promise<string[]> {
  if (!hasErrorCode(failure, 'EEXIST')) throw failure;
  await disk.mkdir(folder, { recursive: true });
  return [];
}

/** Writes a file whole or not at all: a temporary file, synced, takes the name. The folder is not synced. */
export async function writeWhole(disk: Disk, path: string, content: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const handle = await disk.open(temporary, 'w');
  try {
    await writeFully(handle, Buffer.from(content, 'utf8'), 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await disk.rename(temporary, path);
}

/** Writes all bytes at a position, going on after short writes. */
export async function writeFully(
  handle: Pick<promises.FileHandle, 'write'>,
  bytes: Buffer,
  position: number,
): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw new Error('the disk takes no more bytes');
    written += bytesWritten;
  }
}
