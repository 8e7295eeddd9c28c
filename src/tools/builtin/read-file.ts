import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';

const MAX_BYTES = 4 * 1024 * 1024;

/** A pipe must not hold up the open, nor a link that took the file's place lead out. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/** Built-in `read_file`: a text file of the workspace, never anything outside of it. */
export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file (UTF-8, at most 4 MiB) of the workspace and returns its text.',
  input: z.strictObject({ path: z.string().min(1).describe('Path of the file, relative to the workspace.') }),
  output: z.string(),
  costHint: 0.1,
  effect: 'read',
  async run({ path }, { workspace, signal }) {
    const file = await resolveInside(workspace, path);
    const handle = await open(file, OPEN_FLAGS).catch((error: unknown) => {
      throw toToolError(error, path);
    });
    try {
      // What is looked at and what is read are the same open file, whatever happens to its name meanwhile.
      const { size } = await refuseUnreadable(handle, path);
      signal.throwIfAborted();
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
      return decode(buffer.subarray(0, bytesRead), path);
    } finally {
      await handle.close();
    }
  },
});

/** The real path of a file of the workspace; links are followed first, so that none leads out. */
async function resolveInside(workspace: string, path: string): Promise<string> {
  if (path.includes('\0')) throw new ToolError('TOOL_MISUSE', 'a path holds no NUL character');
  const root = await realpath(workspace);
  const wanted = resolve(root, path);
  if (!isInside(root, wanted)) throw outside(path);
  const real = await realpath(wanted).catch((error: unknown) => {
    throw toToolError(error, path);
  });
  if (!isInside(root, real)) throw outside(path);
  return real;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function outside(path: string): ToolError {
  return new ToolError('POLICY', `${JSON.stringify(path)} lies outside the workspace`, { details: { path } });
}

async function refuseUnreadable(
  handle: { stat(): Promise<{ isFile(): boolean; readonly size: number }> },
  path: string,
): Promise<{ readonly size: number }> {
  const stats = await handle.stat();
  if (!stats.isFile()) {
    throw new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} is not a file`, { details: { path } });
  }
  if (stats.size > MAX_BYTES) {
    throw new ToolError('PERMANENT', `${JSON.stringify(path)} is larger than ${MAX_BYTES} bytes`, {
      details: { path, bytes: stats.size, maxBytes: MAX_BYTES },
    });
  }
  return stats;
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ToolError('PERMANENT', `${JSON.stringify(path)} is not UTF-8 text`, {
      details: { path },
      cause: error,
    });
  }
}

function toToolError(error: unknown, path: string): ToolError {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const details = { path, ...(code === undefined ? {} : { code }) };
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ToolError('MISSING_INFO', `there is no file ${JSON.stringify(path)}`, {
      details,
      cause: error,
    });
  }
  return new ToolError('PERMANENT', `cannot read ${JSON.stringify(path)}: ${code ?? 'unknown error'}`, {
    details,
    cause: error,
  });
}
