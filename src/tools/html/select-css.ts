import { ToolError } from '../../kernel/errors.ts';
import { isOutOfMemory, runInThread } from '../run-in-thread.ts';
import type { Taken } from './select-elements.ts';
import type { SelectJob, SelectReport } from './select-worker.ts';

const MAX_SELECTOR_CHARS = 500;

/** How long reading a page and a selector on it may take, and what it may use. */
const LIMITS = { limitMs: 10_000, maxOldGenerationSizeMb: 768 };

const PACKAGES = ['css-select', 'domhandler', 'domutils', 'htmlparser2'];

/**
 * The texts, or attributes, of the elements of a page that a CSS selector finds, in the order of the page. It runs in a
 * thread of its own, which is ended where it takes too long: some selectors and pages never come to an end.
 */
export async function selectCss(
  html: string,
  selector: string,
  { signal, ...taken }: Taken & { readonly signal: AbortSignal },
): Promise<string[]> {
  signal.throwIfAborted();
  if (selector.length > MAX_SELECTOR_CHARS) {
    throw new ToolError('TOOL_MISUSE', `the selector is longer than ${MAX_SELECTOR_CHARS} characters`);
  }
  const data: SelectJob = { html, selector, ...taken };
  const thread = { module: 'html/select-worker', packages: PACKAGES, data };
  const end = await runInThread<SelectReport>(thread, LIMITS, signal);
  switch (end.kind) {
    case 'report':
      if (end.report.kind === 'failed') throw new ToolError(end.report.retry, end.report.message);
      return [...end.report.values];
    case 'late':
      throw tooMuch(`more than ${end.limitMs} ms`);
    case 'gone':
      throw tooMuch('too much memory');
    case 'failed':
      throw toError(end.error);
  }
}

function tooMuch(what: string): ToolError {
  return new ToolError('TOOL_MISUSE', `the selector takes ${what} for this page; write a simpler one`);
}

/** How a thread dies of its limits, or of what is wrong with this program. */
function toError(error: unknown): Error {
  if (isOutOfMemory(error)) return tooMuch('too much memory');
  const { message } = error as { message?: unknown };
  return new ToolError('PERMANENT', `the page could not be searched: ${String(message)}`);
}
