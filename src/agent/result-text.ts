import type { Failure } from '../contracts/failure.ts';
import { section } from '../contracts/section.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json } from '../kernel/json.ts';
import { INTERRUPTED_MARK } from './repair-messages.ts';

const RESULT_MARK = '<result>\n';
const ERROR_MARK = '[error ';
const DETAIL_CHARS = 4000;

/** How a call of an agent ended. */
export type CallOutcome =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly failure: Failure };

/** The outcome of a call as the model reads it, at most `limit` characters; never empty. */
export function resultText(outcome: CallOutcome, limit: number): string {
  if (outcome.ok) {
    const { value } = outcome;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return cutText(text.trim() === '' ? '(no output)' : text, limit);
  }
  const { code, message, details } = outcome.failure;
  if (code === 'aborted') return cutText(INTERRUPTED_MARK + message, limit);
  const more = details === undefined ? '' : `\n${cutText(JSON.stringify(details), DETAIL_CHARS)}`;
  return cutText(`${ERROR_MARK}${code}] ${message}${more}`, limit);
}

/** True for the text of a call that did not succeed. */
export function isErrorText(text: string): boolean {
  return text.startsWith(ERROR_MARK) || text.startsWith(INTERRUPTED_MARK);
}

/** A result as a model reads it that calls by JSON in its text. */
export function resultSection(tool: string, text: string): string {
  return section('result', { command: tool, value: text });
}

/** True for a text that is such a result. */
export function isResultSection(text: string): boolean {
  return text.startsWith(RESULT_MARK);
}
