import { z } from 'zod';
import { ToolError } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/cut-text.ts';
import { defineTool } from '../define-tool.ts';
import { RegexThread } from '../regex/regex-thread.ts';
import { toFileError } from '../workspace/file-error.ts';
import { matchesGlob } from '../../kernel/match-glob.ts';
import { readPlace } from '../workspace/read-workspace-file.ts';
import { walkWorkspace } from '../workspace/walk-workspace.ts';
import { MAX_TEXT_BYTES } from './text-limits.ts';

const MAX_LOOKED_AT = 50_000;
const MAX_READ_BYTES = 128 * 1024 * 1024;
const MAX_LINE_CHARS = 500;

const matchSchema = z.strictObject({
  path: z.string(),
  line: z.int().positive(),
  text: z.string().describe('The line, cut where it is long.'),
});

type Match = z.output<typeof matchSchema>;

/** Finds lines in a text: the numbers of those that match, from 1, at most so many. */
type FindLines = (text: string, max: number) => Promise<readonly number[]> | readonly number[];

/** Built-in `search_files`: lines of the workspace's text files that hold a text or match a pattern. */
export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Finds lines in the text files of the workspace that hold a text or match a regular expression. Files over 4 MiB and files that are not text are passed over.',
  input: z.strictObject({
    query: z.string().min(1).max(1000).describe('The text to find, or a regular expression.'),
    regex: z.boolean().default(false).describe('Whether the query is a regular expression (JavaScript).'),
    caseSensitive: z.boolean().default(false).describe('Whether upper and lower case differ.'),
    path: z.string().min(1).default('.').describe('The folder that is searched, relative to the workspace.'),
    glob: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Only files that match, such as *.ts or src/**/*.ts; without a slash the name alone counts.'),
    maxMatches: z.int().min(1).max(2000).default(200).describe('How many lines are returned at most.'),
  }),
  output: z.strictObject({
    matches: z.array(matchSchema),
    filesSearched: z.int().nonnegative(),
    filesSkipped: z.int().nonnegative().describe('Files that are too large, no text, or not readable.'),
    truncated: z.boolean().describe('Whether there may be more.'),
  }),
  costHint: 0.3,
  effect: 'read',
  openWorld: true,
  timeoutMs: 120_000,
  argumentKinds: { path: 'path' },
  async run({ query, regex, caseSensitive, path, glob, maxMatches }, { workspace, signal, permits, kept }) {
    const thread = regex ? new RegexThread(query, caseSensitive ? 'm' : 'im') : null;
    const find = thread === null ? findText(query, caseSensitive) : findPattern(thread, signal);
    const matches: Match[] = [];
    const count = { searched: 0, skipped: 0, bytes: 0 };
    const options = { workspace, signal, permits, kept, isRecursive: true, maxEntries: MAX_LOOKED_AT };
    try {
      const isWhole = await walkWorkspace(path, options, async (entry) => {
        if (entry.kind !== 'file' || (glob !== undefined && !matchesGlob(glob, entry.path))) return true;
        if (count.bytes > MAX_READ_BYTES) return false;
        const text = await readText(entry.place, entry.path, signal);
        if (text === null) {
          count.skipped++;
          return true;
        }
        count.searched++;
        count.bytes += text.length;
        const left = maxMatches - matches.length;
        const lines = await find(text, left + 1);
        matches.push(...toMatches(entry.path, text, lines.slice(0, left)));
        return lines.length <= left;
      });
      return {
        matches,
        filesSearched: count.searched,
        filesSkipped: count.skipped,
        truncated: !isWhole,
      };
    } catch (error) {
      throw toFileError(error, path, 'search');
    } finally {
      await thread?.close();
    }
  },
});

/** The text of a file; null where it is none, too large or not readable. */
async function readText(
  place: Parameters<typeof readPlace>[0],
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const bytes = await readPlace(place, path, { signal, maxBytes: MAX_TEXT_BYTES });
    if (bytes.subarray(0, 8192).includes(0)) return null;
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError && error.retry === 'TRANSIENT') throw error;
    return null;
  }
}

function findText(query: string, isCaseSensitive: boolean): FindLines {
  const fold = (text: string): string => (isCaseSensitive ? text : text.toLowerCase());
  const wanted = fold(query);
  return (text, max) => {
    const found: number[] = [];
    for (const [index, line] of text.split('\n').entries()) {
      if (!fold(line).includes(wanted)) continue;
      found.push(index + 1);
      if (found.length === max) break;
    }
    return found;
  };
}

function findPattern(thread: RegexThread, signal: AbortSignal): FindLines {
  return async (text, max) => {
    const found = new Set<number>();
    // Several matches may stand on one line.
    const { matches } = await thread.findAll(text, max * 20, signal);
    let line = 1;
    let from = 0;
    for (const { index } of matches) {
      for (let end = text.indexOf('\n', from); end >= 0 && end < index; end = text.indexOf('\n', from)) {
        line++;
        from = end + 1;
      }
      found.add(line);
      if (found.size === max) break;
    }
    return [...found];
  };
}

function toMatches(path: string, text: string, lines: readonly number[]): Match[] {
  if (lines.length === 0) return [];
  const all = text.split('\n');
  return lines.map((line) => ({
    path,
    line,
    text: cutText((all[line - 1] ?? '').replace(/\r$/, ''), MAX_LINE_CHARS),
  }));
}
