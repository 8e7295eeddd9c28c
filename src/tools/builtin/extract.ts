import { z } from 'zod';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { atPointer, type Json, parsePointer } from '../../kernel/json.ts';
import { defineTool } from '../define-tool.ts';
import { selectCss } from '../html/select-css.ts';
import { RegexThread } from '../regex/regex-thread.ts';

const MAX_SOURCE_CHARS = 8 * 1024 * 1024;

/** Built-in `extract`: parts of a value, by JSON pointer, regular expression or CSS selector. */
export const extract = defineTool({
  name: 'extract',
  description:
    'Takes parts out of a value, without a model: by JSON pointer out of JSON, by regular expression out of a text, or by CSS selector out of HTML.',
  input: z.strictObject({
    source: z
      .unknown()
      .describe('The value, usually passed by reference: any JSON for pointer, else a text.'),
    by: z.enum(['pointer', 'regex', 'css']).describe('How the query is to be read.'),
    query: z
      .string()
      .max(1000)
      .describe('A JSON pointer (/items/0/name), a regular expression (JavaScript), or a CSS selector.'),
    group: z
      .union([z.int().min(0).max(99), z.string().min(1).max(64)])
      .optional()
      .describe('With regex: number or name of the group that is taken; the first, or the whole match.'),
    flags: z
      .string()
      .regex(/^[ims]{0,3}$/, 'expected some of i, m and s')
      .default('')
      .describe('With regex: i ignores case, m lets ^ and $ match at lines, s lets . match line breaks.'),
    attribute: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('With css: the attribute that is taken instead of the text, such as href.'),
    max: z.int().min(1).max(10_000).default(100).describe('How many parts are returned at most.'),
    required: z.boolean().default(true).describe('Whether it is a failure that nothing is found.'),
  }),
  output: z.strictObject({
    first: z.unknown().describe('The first part; null where nothing was found.'),
    all: z.array(z.unknown()).describe('Every part, in order.'),
    count: z.int().nonnegative(),
  }),
  costHint: 0.05,
  effect: 'read',
  cache: true,
  timeoutMs: 30_000,
  async run(request, context) {
    const all = await partsOf(request, context);
    const { by, query, required } = request;
    if (all.length === 0 && required) {
      throw new ToolError('MISSING_INFO', `nothing is found by ${by} ${JSON.stringify(query)}`, {
        details: { by, query },
      });
    }
    return { first: all[0] ?? null, all, count: all.length };
  },
});

interface ExtractRequest {
  readonly source?: unknown;
  readonly by: 'pointer' | 'regex' | 'css';
  readonly query: string;
  readonly group?: number | string | undefined;
  readonly flags: string;
  readonly attribute?: string | undefined;
  readonly max: number;
}

function partsOf(request: ExtractRequest, { signal }: Pick<ToolContext, 'signal'>): Promise<Json[]> | Json[] {
  const { by, query, attribute, max } = request;
  switch (by) {
    case 'pointer':
      return byPointer((request.source ?? null) as Json, query);
    case 'regex':
      return byRegex(textOf(request.source), request, signal);
    case 'css':
      return selectCss(textOf(request.source), query, {
        max,
        signal,
        ...(attribute === undefined ? {} : { attribute }),
      });
  }
}

/** A text that holds JSON is read as what it holds. */
function byPointer(source: Json, pointer: string): Json[] {
  if (parsePointer(pointer) === null) {
    throw new ToolError('TOOL_MISUSE', `${JSON.stringify(pointer)} is no JSON pointer; it begins with /`);
  }
  const found = atPointer(typeof source === 'string' ? jsonIn(source) : source, pointer);
  return found === undefined ? [] : [found];
}

function jsonIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ToolError('TOOL_MISUSE', 'a pointer leads into JSON, but the source is a text that is none');
  }
}

async function byRegex(
  text: string,
  { query, flags, group, max }: ExtractRequest,
  signal: AbortSignal,
): Promise<Json[]> {
  const thread = new RegexThread(query, flags);
  try {
    const { matches } = await thread.findAll(text, max, signal);
    return matches.flatMap(({ groups, named }) => {
      const wanted = group ?? (groups.length > 1 ? 1 : 0);
      const found = typeof wanted === 'number' ? groups[wanted] : named[wanted];
      if (found === undefined) {
        throw new ToolError('TOOL_MISUSE', `the pattern has no group ${JSON.stringify(wanted)}`);
      }
      return found === null ? [] : [found];
    });
  } finally {
    await thread.close();
  }
}

function textOf(source: unknown): string {
  if (typeof source !== 'string') {
    throw new ToolError(
      'TOOL_MISUSE',
      'the source has to be a text; a reference can lead to one with its path',
    );
  }
  if (source.length > MAX_SOURCE_CHARS) {
    throw new ToolError('TOOL_MISUSE', `the source is longer than ${MAX_SOURCE_CHARS} characters`);
  }
  return source;
}
