import { z } from 'zod';
import type { Json } from '../../kernel/json.ts';
import { isJson } from '../web/decode-text.ts';

/** Argument: an address of the web. */
export const urlField = z
  .string()
  .min(1)
  .max(8192)
  .describe('Address, with http:// or https:// and without a user name.');

/** Argument: headers of a request. */
export const headersField = z
  .record(z.string().min(1).max(200), z.string().max(8192))
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')
  .default({})
  .describe('Headers of the request, by name.');

/** Result: what a text is as JSON. */
export const jsonField = z
  .unknown()
  .describe('The value, where the answer is JSON; a reference can lead into it.');

/** The JSON that a text says it is, as a field; none where it is none. */
export function jsonOf(contentType: string, text: string, isCut: boolean): { json?: Json } {
  if (!isJson(contentType) || isCut) return {};
  try {
    return { json: JSON.parse(text) as Json };
  } catch {
    return {};
  }
}
