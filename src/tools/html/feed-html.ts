import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Handler, Parser } from 'htmlparser2';
import { ToolError } from '../../kernel/errors.ts';

/** Longest HTML that tools read, in characters. */
export const MAX_HTML_CHARS = 8 * 1024 * 1024;

/** Browsers end at 512 levels, too; beyond it, every step of a parser grows with the depth. */
const MAX_DEPTH = 512;
const PIECE_CHARS = 32 * 1024;

/** What is told of a page while it is read: the parts of htmlparser2's handler that tools use. */
export type PageHandler = Pick<Handler, 'onopentag' | 'onclosetag' | 'ontext'> & Partial<Handler>;

/**
 * Reads HTML in pieces, so that neither its length nor how it is nested holds up the process; throws a ToolError where
 * it is too long or too deep.
 */
export async function feedHtml(html: string, handler: PageHandler, signal: AbortSignal): Promise<void> {
  if (html.length > MAX_HTML_CHARS) {
    throw new ToolError('PERMANENT', `the HTML is longer than ${MAX_HTML_CHARS} characters`);
  }
  const { Parser: HtmlParser } = await import('htmlparser2');
  let depth = 0;
  const parser: Parser = new HtmlParser({
    ...bindAll(handler),
    onopentag: (name, attributes, isImplied) => {
      if (++depth > MAX_DEPTH)
        throw new ToolError('PERMANENT', `the HTML is nested deeper than ${MAX_DEPTH}`);
      handler.onopentag(name, attributes, isImplied);
    },
    onclosetag: (name, isImplied) => {
      depth--;
      handler.onclosetag(name, isImplied);
    },
  });
  for (let from = 0; from < html.length; from += PIECE_CHARS) {
    parser.write(html.slice(from, from + PIECE_CHARS));
    if (from % (8 * PIECE_CHARS) === 0) await nextTurn();
    signal.throwIfAborted();
  }
  parser.end();
}

/** The handler may be an instance of a class, whose methods are not its own. */
function bindAll(handler: PageHandler): Partial<Handler> {
  return {
    onparserinit: (parser) => handler.onparserinit?.(parser),
    onend: () => handler.onend?.(),
    ontext: (text) => handler.ontext(text),
    oncomment: (text) => handler.oncomment?.(text),
    oncommentend: () => handler.oncommentend?.(),
    onprocessinginstruction: (name, data) => handler.onprocessinginstruction?.(name, data),
  };
}
