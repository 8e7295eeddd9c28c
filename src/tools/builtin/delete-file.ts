import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { removeWorkspaceFile } from '../workspace/change-workspace-file.ts';

/** Built-in `delete_file`: takes one file out of the workspace for good. */
export const deleteFile = defineTool({
  name: 'delete_file',
  description:
    'Deletes one file of the workspace for good. A link is deleted itself, never what it leads to; a folder is refused.',
  input: z.strictObject({ path: z.string().min(1).describe('Path of the file, relative to the workspace.') }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative().describe('Size that the file had.'),
  }),
  costHint: 0.2,
  effect: 'irreversible',
  timeoutMs: 30_000,
  argumentKinds: { path: 'path' },
  run: async ({ path }, { workspace, signal, permits, kept }) => ({
    path,
    bytes: await removeWorkspaceFile(path, { workspace, signal, permits, kept }),
  }),
});
