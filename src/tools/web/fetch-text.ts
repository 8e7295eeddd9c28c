import type { ToolContext } from '../../contracts/tool.ts';
import { decodeText, isHtml, mediaType } from './decode-text.ts';
import type { HttpClient } from './http-client.ts';
import { readBody } from './read-body.ts';
import { refuseStatus } from './refuse-status.ts';

/** Most that is read of a page or an answer, in bytes. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** What a server gave as text. */
export interface FetchedText {
  /** Where it came from in the end. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case; empty where the server names none. */
  readonly contentType: string;
  readonly isHtml: boolean;
  readonly text: string;
  /** Whether there was more than was read. */
  readonly isCut: boolean;
}

/** Gets a text from the web; throws a ToolError where the server does not give it, or gives what is no text. */
export async function fetchText(
  client: HttpClient,
  request: {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly maxBytes?: number;
  },
  context: Pick<ToolContext, 'signal' | 'trace' | 'permits'>,
): Promise<FetchedText> {
  const { url, headers = {}, maxBytes = MAX_PAGE_BYTES } = request;
  const answer = await client.send({
    url,
    headers,
    signal: context.signal,
    trace: context.trace,
    permits: context.permits,
  });
  refuseStatus(answer);
  const { bytes, isCut } = await readBody(answer, maxBytes);
  const contentType = mediaType(answer.headers['content-type']);
  return {
    url: answer.url.href,
    status: answer.status,
    contentType,
    isHtml: isHtml(contentType),
    text: decodeText(bytes, answer.headers['content-type']),
    isCut,
  };
}
