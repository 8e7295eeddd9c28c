import type { Failure } from '../contracts/failure.ts';
import type { EventOf } from '../flight/events.ts';
import { cutText } from '../kernel/cut-text.ts';
import { formatScore } from './format-amounts.ts';
import { toOneLine } from './text-width.ts';

/** One thing that happened, with the number of the event that says so; null where it follows from several. */
export interface Fact {
  readonly seq: number | null;
  readonly text: string;
}

/** A failure in words: its message, code and class. */
export function describeFailure(failure: Failure): string {
  return `${failure.message} (${failure.code}, ${failure.class})`;
}

const MAX_SAID_CHARS = 500;

/** A failure in words, with what a tool of a server said of it, quoted on one line. */
export function describeReported(failure: Failure): string {
  const said = failure.details?.['reported'];
  const words = describeFailure(failure);
  return typeof said === 'string' && said.trim() !== ''
    ? `${words}; it said ${JSON.stringify(cutText(toOneLine(said), MAX_SAID_CHARS))}`
    : words;
}

/** A verdict in words: outcome, tier and score, then what is wrong. */
export function describeVerdict(verdict: EventOf<'verdict.reached'>['verdict']): string {
  const score = verdict.score === undefined ? '' : `, score ${formatScore(verdict.score)}`;
  // The reasons of a failed check name it already.
  const failed = verdict.checks.flatMap(({ ok, name, message }) => (ok ? [] : [`${name}: ${message}`]));
  const wrong = [...new Set([...failed, ...verdict.reasons])];
  return `${verdict.outcome} (${verdict.tier}${score})${wrong.length === 0 ? '' : `: ${wrong.join('; ')}`}`;
}

/** An id as it stands in a sentence. */
export function quote(id: string): string {
  return JSON.stringify(id);
}

/** Ids as an enumeration: `"a", "b" and "c"`; at most `limit` of them by name. */
export function enumerate(ids: readonly string[], limit = 8): string {
  const shown = ids.slice(0, limit).map(quote);
  const rest = ids.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  const last = shown.pop() ?? 'nothing';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

/** A count with its noun, in the plural where it must be: `1 node`, `3 nodes`, `2 memories`. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
