import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { defineTool } from '../define-tool.ts';
import { fetchText, MAX_PAGE_BYTES } from '../web/fetch-text.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { httpClientOf } from './http-client-of.ts';
import { headersField, jsonField, jsonOf, urlField } from './http-fields.ts';

/** Built-in `http_get`: a text from the web as it stands. */
export function createHttpGet(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'http_get',
    description:
      'Gets a text (JSON, HTML, plain text; at most 4 MiB) from an address of the public web and returns it as it stands. A page of HTML is better read by browse_website.',
    input: z.strictObject({
      url: urlField,
      headers: headersField,
      maxBytes: z
        .int()
        .min(1)
        .max(MAX_PAGE_BYTES)
        .default(MAX_PAGE_BYTES)
        .describe('How much of the answer is read at most; the rest is left out.'),
    }),
    output: z.strictObject({
      url: z.string().describe('Where the answer came from, after redirects.'),
      status: z.int(),
      contentType: z.string(),
      text: z.string(),
      json: jsonField.optional(),
      truncated: z.boolean().describe('Whether the answer went on.'),
    }),
    costHint: 0.3,
    effect: 'read',
    openWorld: true,
    timeoutMs: 60_000,
    argumentKinds: { url: 'url' },
    async run(request, context) {
      const { url, status, contentType, text, isCut } = await fetchText(client, request, context);
      return { url, status, contentType, text, ...jsonOf(contentType, text, isCut), truncated: isCut };
    },
  });
}
