import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchPage } from '../web/fetch-page.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { askAboutPage, questionField } from './ask-about-page.ts';
import { httpClientOf } from './http-client-of.ts';
import { urlField } from './http-fields.ts';

/** Built-in `browse_website`: what a page says about a question, and where it leads on. */
export function createBrowseWebsite(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'browse_website',
    description:
      'Gets a page of the public web, has a model (role summarizer) answer a question from its text, and lists where the page leads on. Scripts are not run.',
    input: z.strictObject({
      url: urlField,
      question: questionField,
      maxLinks: z.int().min(0).max(100).default(10).describe('How many links are listed at most.'),
    }),
    output: z.strictObject({
      url: z.string().describe('Where the page came from, after redirects.'),
      title: z.string(),
      answer: z.string(),
      links: z.array(z.strictObject({ url: z.string(), text: z.string() })),
      truncated: z.boolean().describe('Whether the end of the page was left out.'),
    }),
    costHint: 2,
    effect: 'read',
    openWorld: true,
    timeoutMs: 600_000,
    argumentKinds: { url: 'url' },
    async run({ url, question, maxLinks }, context) {
      const page = await fetchPage(client, url, context);
      const { answer, truncated } = await askAboutPage(page, question, context);
      const links = page.links.slice(0, maxLinks).map((link) => ({ url: link.url, text: link.text }));
      return { url: page.url, title: page.title, answer, links, truncated };
    },
  });
}
