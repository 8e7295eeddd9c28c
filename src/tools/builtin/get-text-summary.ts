import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchPage } from '../web/fetch-page.ts';
import { askAboutPage, questionField } from './ask-about-page.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { httpClientOf } from './http-client-of.ts';
import { urlField } from './http-fields.ts';

/** Built-in `get_text_summary`: what a page says about a question. */
export function createGetTextSummary(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'get_text_summary',
    description:
      'Gets a page of the public web and has a model (role summarizer) answer a question from its text; a long page is read in parts.',
    input: z.strictObject({ url: urlField, question: questionField }),
    output: z.strictObject({
      url: z.string().describe('Where the page came from, after redirects.'),
      summary: z.string(),
      parts: z.int().positive().describe('In how many parts the page was read.'),
      truncated: z.boolean().describe('Whether the end of the page was left out.'),
    }),
    costHint: 2,
    effect: 'read',
    openWorld: true,
    timeoutMs: 600_000,
    argumentKinds: { url: 'url' },
    async run({ url, question }, context) {
      const page = await fetchPage(client, url, context);
      const { answer, parts, truncated } = await askAboutPage(page, question, context);
      return { url: page.url, summary: answer, parts, truncated };
    },
  });
}
