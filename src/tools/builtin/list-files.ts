import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { toFileError } from '../workspace/file-error.ts';
import { matchesGlob } from '../../kernel/match-glob.ts';
import { type FoundEntry, walkWorkspace } from '../workspace/walk-workspace.ts';

const MAX_LOOKED_AT = 50_000;

const entrySchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['file', 'folder', 'link', 'other']),
  bytes: z.int().nonnegative().optional(),
});

/** Built-in `list_files`: what stands in a folder of the workspace. */
export const listFiles = defineTool({
  name: 'list_files',
  description:
    'Lists what stands in a folder of the workspace: path, kind, and the size of files, in the order of the names. Links are not followed; what git and the runs keep is left out.',
  input: z.strictObject({
    path: z.string().min(1).default('.').describe('The folder, relative to the workspace.'),
    glob: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Only what matches, such as *.md or docs/**/*.md; without a slash the name alone counts.'),
    recursive: z.boolean().default(false).describe('Whether the folders in it are listed too.'),
    maxEntries: z.int().min(1).max(5000).default(1000).describe('How many entries are listed at most.'),
  }),
  output: z.strictObject({
    entries: z.array(entrySchema),
    truncated: z.boolean().describe('Whether there may be more.'),
  }),
  costHint: 0.1,
  effect: 'read',
  openWorld: true,
  timeoutMs: 60_000,
  argumentKinds: { path: 'path' },
  async run({ path, glob, recursive, maxEntries }, { workspace, signal, permits, kept }) {
    const entries: z.output<typeof entrySchema>[] = [];
    const options = { workspace, signal, permits, kept, isRecursive: recursive, maxEntries: MAX_LOOKED_AT };
    try {
      const isWhole = await walkWorkspace(path, options, async (entry) => {
        if (glob !== undefined && !matchesGlob(glob, entry.path)) return true;
        if (entries.length === maxEntries) return false;
        entries.push({ path: entry.path, kind: entry.kind, ...(await sizeOf(entry)) });
        return true;
      });
      return { entries, truncated: !isWhole };
    } catch (error) {
      throw toFileError(error, path, 'list');
    }
  },
});

async function sizeOf({ kind, place }: FoundEntry): Promise<{ bytes?: number }> {
  if (kind !== 'file') return {};
  const stats = await lstat(place.folder.at(place.name)).catch(() => null);
  return stats?.isFile() === true ? { bytes: stats.size } : {};
}
