import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { appendWorkspaceFile } from '../workspace/change-workspace-file.ts';
import { MAX_TEXT_BYTES } from './text-limits.ts';
import { encodeText } from './write-file.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Built-in `append_file`: text at the end of a file of the workspace. */
export const appendFile = defineTool({
  name: 'append_file',
  description:
    'Adds text to the end of a file of the workspace (at most 4 MiB a call, 64 MiB in all); a file that is missing is made, with its folders.',
  input: z.strictObject({
    path: z.string().min(1).describe('Path of the file, relative to the workspace.'),
    content: z.string().min(1).max(MAX_TEXT_BYTES).describe('The text to add, line breaks included.'),
  }),
  output: z.strictObject({
    path: z.string(),
    bytes: z.int().nonnegative().describe('Size of the file afterwards.'),
  }),
  costHint: 0.2,
  effect: 'write',
  timeoutMs: 30_000,
  argumentKinds: { path: 'path' },
  run: async ({ path, content }, { workspace, signal, permits, kept }) => ({
    path,
    bytes: await appendWorkspaceFile(
      path,
      { workspace, signal, permits, kept },
      encodeText(path, content),
      MAX_FILE_BYTES,
    ),
  }),
});
