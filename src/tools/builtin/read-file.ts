import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { readWorkspaceText } from '../workspace/read-workspace-file.ts';
import { MAX_TEXT_BYTES } from './text-limits.ts';

/** Built-in `read_file`: a text file of the workspace, never anything outside of it. */
export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file (UTF-8, at most 4 MiB) of the workspace and returns its text.',
  input: z.strictObject({ path: z.string().min(1).describe('Path of the file, relative to the workspace.') }),
  output: z.string(),
  costHint: 0.1,
  effect: 'read',
  openWorld: true,
  timeoutMs: 30_000,
  argumentKinds: { path: 'path' },
  run: ({ path }, { workspace, signal, permits, kept }) =>
    readWorkspaceText(path, { workspace, signal, permits, kept, maxBytes: MAX_TEXT_BYTES }),
});
