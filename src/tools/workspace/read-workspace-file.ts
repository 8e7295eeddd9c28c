import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { toFileError } from './file-error.ts';
import { atPlace, type Place } from './find-place.ts';

/** A pipe must not hold up the open, nor a link that took the file's place lead out. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** What of a file is read. */
export interface ReadLimits extends Pick<ToolContext, 'workspace' | 'signal' | 'permits' | 'kept'> {
  /** A larger file is refused. */
  readonly maxBytes: number;
}

/** The bytes of a file of the workspace; throws a ToolError that names the path. */
export async function readWorkspaceBytes(path: string, limits: ReadLimits): Promise<Buffer> {
  try {
    return await atPlace(limits.workspace, path, { permits: limits.permits, kept: limits.kept }, (place) =>
      readPlace(place, path, limits),
    );
  } catch (error) {
    throw toFileError(error, path, 'read');
  }
}

/** The text of a file of the workspace; throws a ToolError that names the path, also where it is no UTF-8. */
export async function readWorkspaceText(path: string, limits: ReadLimits): Promise<string> {
  const bytes = await readWorkspaceBytes(path, limits);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ToolError('PERMANENT', `${JSON.stringify(path)} is not UTF-8 text`, {
      details: { path },
      cause: error,
    });
  }
}

/** The bytes of the file at a place that was found. */
export async function readPlace(
  { folder, name }: Place,
  path: string,
  { signal, maxBytes }: Pick<ReadLimits, 'signal' | 'maxBytes'>,
): Promise<Buffer> {
  if (name === null) throw notAFile(path);
  const handle = await open(folder.at(name), OPEN_FLAGS);
  try {
    // What is looked at and what is read are the same open file, whatever happens to its name meanwhile.
    const stats = await handle.stat();
    if (!stats.isFile()) throw notAFile(path);
    if (stats.size > maxBytes) {
      throw new ToolError('PERMANENT', `${JSON.stringify(path)} is larger than ${maxBytes} bytes`, {
        details: { path, bytes: stats.size, maxBytes },
      });
    }
    signal.throwIfAborted();
    return await readAll(handle, stats.size);
  } finally {
    await handle.close();
  }
}

async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const buffer = Buffer.alloc(size);
  let total = 0;
  while (total < size) {
    const { bytesRead } = await handle.read(buffer, total, size - total, total);
    if (bytesRead === 0) break;
    total += bytesRead;
  }
  return buffer.subarray(0, total);
}

/** The error for a folder, a pipe or a device where a file was meant. */
export function notAFile(path: string): ToolError {
  return new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} is not a file`, { details: { path } });
}
