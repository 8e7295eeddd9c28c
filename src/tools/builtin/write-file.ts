import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { type ChangeContext, replaceWorkspaceFile } from '../workspace/change-workspace-file.ts';
import { readWorkspaceBytes } from '../workspace/read-workspace-file.ts';
import { MAX_TEXT_BYTES } from './text-limits.ts';

/** Built-in `write_file`: a text file of the workspace, written whole or not at all. */
export const writeFile = defineTool({
  name: 'write_file',
  description:
    'Writes a text file (UTF-8, at most 4 MiB) of the workspace, with the folders that are missing. Replaces a file of that name unless told not to.',
  input: z.strictObject({
    path: z.string().min(1).describe('Path of the file, relative to the workspace.'),
    content: z.string().max(MAX_TEXT_BYTES).describe('The whole text of the file.'),
    overwrite: z.boolean().default(true).describe('Whether a file that is there already is replaced.'),
  }),
  output: z.strictObject({ path: z.string(), bytes: z.int().nonnegative() }),
  costHint: 0.2,
  effect: 'write',
  idempotent: true,
  timeoutMs: 30_000,
  argumentKinds: { path: 'path' },
  async run({ path, content, overwrite }, { workspace, signal, permits, kept }) {
    const bytes = encodeText(path, content);
    const context = { workspace, signal, permits, kept };
    if (!overwrite) await refuseOther(path, bytes, context);
    await replaceWorkspaceFile(path, context, (handle) => handle.writeFile(bytes));
    return { path, bytes: bytes.length };
  },
});

/** A file with the same content may stem from this very call, made before a crash. */
async function refuseOther(path: string, bytes: Uint8Array, context: ChangeContext): Promise<void> {
  let old: Buffer;
  try {
    old = await readWorkspaceBytes(path, { ...context, maxBytes: MAX_TEXT_BYTES });
  } catch (error) {
    if (error instanceof ToolError && error.retry === 'MISSING_INFO') return;
    throw error;
  }
  if (old.equals(bytes)) return;
  throw new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} exists already`, { details: { path } });
}

/** The bytes of a text; throws a ToolError where they are too many. */
export function encodeText(path: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= MAX_TEXT_BYTES) return bytes;
  throw new ToolError(
    'TOOL_MISUSE',
    `the text for ${JSON.stringify(path)} is larger than ${MAX_TEXT_BYTES} bytes`,
    {
      details: { path, bytes: bytes.length, maxBytes: MAX_TEXT_BYTES },
    },
  );
}
