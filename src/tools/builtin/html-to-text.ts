import { z } from 'zod';
import { defineTool } from '../define-tool.ts';
import { MAX_HTML_CHARS } from '../html/feed-html.ts';
import { readPage } from '../html/read-page.ts';

/** Built-in `html_to_text`: what people see of a page. */
export const htmlToText = defineTool({
  name: 'html_to_text',
  description:
    'Turns HTML into the text that people see: headings, lists and tables as lines, without scripts, styles and what is hidden.',
  input: z.strictObject({
    html: z.string().max(MAX_HTML_CHARS).describe('The HTML, usually passed by reference.'),
  }),
  output: z.string(),
  costHint: 0.1,
  effect: 'read',
  cache: true,
  timeoutMs: 30_000,
  run: async ({ html }, { signal }) => (await readPage(html, null, signal)).text,
});
