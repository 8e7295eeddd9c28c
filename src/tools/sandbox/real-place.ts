import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { toFileError } from '../workspace/file-error.ts';
import { atPlace } from '../workspace/find-place.ts';

/** The real path of a folder or a file of the workspace, links resolved; throws a ToolError where it is another. */
export async function realPlace(
  path: string,
  kind: 'file' | 'folder',
  { workspace, permits, kept }: Pick<ToolContext, 'workspace' | 'permits' | 'kept'>,
): Promise<string> {
  try {
    const root = await realpath(workspace);
    return await atPlace(workspace, path, { permits, kept }, async ({ folder, name, names }) => {
      const stats = await lstat(name === null ? folder.self() : folder.at(name));
      if (name !== null && (kind === 'file' ? stats.isFile() : stats.isDirectory()))
        return join(root, ...names);
      if (name === null && kind === 'folder') return root;
      throw new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} is not a ${kind}`, { details: { path } });
    });
  } catch (error) {
    throw toFileError(error, path, 'use');
  }
}
