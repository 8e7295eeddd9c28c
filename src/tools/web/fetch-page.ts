import type { ToolContext } from '../../contracts/tool.ts';
import { type Page, readPage } from '../html/read-page.ts';
import { fetchText } from './fetch-text.ts';
import type { HttpClient } from './http-client.ts';

/** A page of the web as people see it. */
export interface FetchedPage extends Page {
  readonly url: string;
  readonly isCut: boolean;
}

/** Gets a page from the web and reads it; a text that is no HTML is taken as it stands. */
export async function fetchPage(
  client: HttpClient,
  url: string,
  context: Pick<ToolContext, 'signal' | 'trace' | 'permits'>,
): Promise<FetchedPage> {
  const headers = { accept: 'text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.5' };
  const fetched = await fetchText(client, { url, headers }, context);
  const page = looksLikeHtml(fetched.contentType, fetched.isHtml, fetched.text)
    ? await readPage(fetched.text, fetched.url, context.signal)
    : { title: '', text: fetched.text, links: [] };
  return { ...page, url: fetched.url, isCut: fetched.isCut };
}

function looksLikeHtml(contentType: string, isHtml: boolean, text: string): boolean {
  return isHtml || (contentType === '' && /^\s*<(?:!doctype html|html)\b/i.test(text));
}
