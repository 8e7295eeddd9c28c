import { z } from 'zod';
import type { Tool } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { defineTool } from '../define-tool.ts';
import { decodeText, mediaType } from '../web/decode-text.ts';
import { MAX_PAGE_BYTES } from '../web/fetch-text.ts';
import { readBody } from '../web/read-body.ts';
import type { BuiltinSettings } from './builtin-settings.ts';
import { httpClientOf } from './http-client-of.ts';
import { headersField, jsonField, jsonOf, urlField } from './http-fields.ts';
import { MAX_TEXT_BYTES } from './text-limits.ts';

/** Built-in `http_request`: any request to the web; what it does there cannot be known, so it counts as irreversible. */
export function createHttpRequest(settings: BuiltinSettings): Tool {
  const client = httpClientOf(settings);
  return defineTool({
    name: 'http_request',
    description:
      'Sends a request of any method to an address of the public web and returns the status and the text of the answer, whatever the status is. Only to change something there; what is only read is got by http_get.',
    input: z.strictObject({
      url: urlField,
      method: z
        .enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
        .describe('Method of HTTP.'),
      headers: headersField,
      json: z.unknown().describe('Body as a JSON value.').optional(),
      text: z.string().max(MAX_TEXT_BYTES).optional().describe('Body as text; not together with json.'),
    }),
    output: z.strictObject({
      url: z.string().describe('Where the answer came from, after redirects.'),
      status: z.int(),
      contentType: z.string(),
      headers: z.record(z.string(), z.string()),
      text: z.string().describe('Empty where the answer has no body, or one that is no text.'),
      json: jsonField.optional(),
      truncated: z.boolean().describe('Whether the answer went on.'),
    }),
    costHint: 0.5,
    effect: 'irreversible',
    openWorld: true,
    timeoutMs: 60_000,
    argumentKinds: { url: 'url' },
    async run({ url, method, headers, json, text }, { signal, trace, permits }) {
      const answer = await client.send({
        url,
        method,
        signal,
        trace,
        permits,
        ...bodyOf(method, headers, json, text),
      });
      const { bytes, isCut } = await readBody(answer, MAX_PAGE_BYTES);
      const contentType = mediaType(answer.headers['content-type']);
      const body = textOf(bytes, answer.headers['content-type']);
      return {
        url: answer.url.href,
        status: answer.status,
        contentType,
        headers: flatHeaders(answer.headers),
        text: body,
        ...jsonOf(contentType, body, isCut),
        truncated: isCut,
      };
    },
  });
}

function bodyOf(
  method: string,
  headers: Readonly<Record<string, string>>,
  json: unknown,
  text: string | undefined,
): { headers: Readonly<Record<string, string>>; body?: Uint8Array } {
  if (json === undefined && text === undefined) return { headers };
  if (json !== undefined && text !== undefined) {
    throw new ToolError('TOOL_MISUSE', 'a request has one body: json or text, not both');
  }
  if (method === 'GET' || method === 'HEAD') throw new ToolError('TOOL_MISUSE', `a ${method} has no body`);
  const body = new TextEncoder().encode(text ?? JSON.stringify(json));
  if (body.length > MAX_TEXT_BYTES) {
    throw new ToolError('TOOL_MISUSE', `the body is larger than ${MAX_TEXT_BYTES} bytes`);
  }
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  const type = text === undefined ? 'application/json' : 'text/plain; charset=utf-8';
  return { headers: isTyped ? headers : { ...headers, 'content-type': type }, body };
}

/** An answer to a change counts also where its text cannot be read: the change was made. */
function textOf(bytes: Buffer, contentType: string | undefined): string {
  try {
    return decodeText(bytes, contentType);
  } catch {
    return '';
  }
}

/** What a server says of cookies is for browsers, and often as good as a password. */
function flatHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name === 'set-cookie') continue;
    flat[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return flat;
}
