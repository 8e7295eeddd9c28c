import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchPage } from '../web/fetch-page.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { httpClientOf } from './http-client-of.ts';
import { urlField } from './http-fields.ts';

/** Built-in `get_hyperlinks`: where a page leads. */
export function createGetHyperlinks(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'get_hyperlinks',
    description:
      'Gets a page of the public web and lists its links with their texts, in the order of the page, each address once.',
    input: z.strictObject({
      url: urlField,
      sameHost: z.boolean().default(false).describe('Only links to the host of the page.'),
      maxLinks: z.int().min(1).max(2000).default(200).describe('How many links are listed at most.'),
    }),
    output: z.strictObject({
      url: z.string().describe('Where the page came from, after redirects.'),
      title: z.string(),
      links: z.array(z.strictObject({ url: z.string(), text: z.string() })),
      truncated: z.boolean().describe('Whether there are more.'),
    }),
    costHint: 0.3,
    effect: 'read',
    openWorld: true,
    timeoutMs: 60_000,
    argumentKinds: { url: 'url' },
    async run({ url, sameHost, maxLinks }, context) {
      const page = await fetchPage(client, url, context);
      const { host } = new URL(page.url);
      const links = page.links.filter((link) => !sameHost || new URL(link.url).host === host);
      return {
        url: page.url,
        title: page.title,
        links: links.slice(0, maxLinks).map((link) => ({ url: link.url, text: link.text })),
        truncated: page.isCut || links.length > maxLinks,
      };
    },
  });
}
