import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { SearchService } from '../web/search-service.ts';
import type { BuiltinSettings } from './builtin-settings.ts';

/** Built-in `web_search`: pages of the web that are about something. */
export function createWebSearch({ web, env = {} }: BuiltinSettings): Tool {
  const service = web?.search === undefined ? null : new SearchService(web.search, env);
  return defineTool({
    name: 'web_search',
    description:
      'Searches the web and returns titles, addresses and snippets of pages, the best first. A page itself is read by browse_website.',
    input: z.strictObject({
      query: z.string().min(1).max(400).describe('What to search for.'),
      maxResults: z.int().min(1).max(20).default(8).describe('How many pages are returned at most.'),
      language: z
        .string()
        .regex(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/, 'expected a code such as en')
        .optional()
        .describe('Language of the pages, such as en; that of the service where not given.'),
    }),
    output: z.strictObject({
      results: z.array(z.strictObject({ title: z.string(), url: z.string(), snippet: z.string() })),
    }),
    costHint: 0.5,
    effect: 'read',
    openWorld: true,
    timeoutMs: 60_000,
    async run({ query, maxResults, language }, context) {
      if (service === null) throw new ToolError('PERMANENT', 'the task says under web.search of no service');
      const wanted = { query, maxResults, ...(language === undefined ? {} : { language }) };
      const results = await service.search(wanted, context);
      return { results: results.map(({ title, url, snippet }) => ({ title, url, snippet })) };
    },
  });
}
