import type { FlightEvent } from '../../flight/events.ts';
import { cutText } from '../../kernel/cut-text.ts';
import { toOneLine } from '../text-width.ts';

const MOST_CHARACTERS = 400;

/** Fields that a list of events shows elsewhere, or that say nothing to people. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['seq', 'at', 'type', 'hash', 'digest', 'request', 'args', 'argsHash', 'draw', 'timeoutMs'],
]);

/** What an event says, on one line: its fields in their order, long ones cut. */
export function eventText(event: FlightEvent): string {
  const parts: string[] = [];
  let length = 0;
  for (const [name, value] of Object.entries(event)) {
    if (LEFT_OUT.has(name) || value === undefined) continue;
    const text = name === 'node' || name === 'key' ? String(value) : `${name} ${wordsOf(value)}`;
    parts.push(text);
    length += text.length;
    if (length > MOST_CHARACTERS) break;
  }
  return toOneLine(cutText(parts.join(' · '), MOST_CHARACTERS));
}

function wordsOf(value: unknown): string {
  const text = typeof value === 'string' ? value : briefJson(value, MOST_CHARACTERS);
  return cutText(text, MOST_CHARACTERS);
}

/** JSON of which no more is written than is shown: a result may be many megabytes long. */
function briefJson(value: unknown, budget: number): string {
  if (typeof value === 'string') return JSON.stringify(cutText(value, budget));
  if (typeof value !== 'object' || value === null) return String(value);
  const isList = Array.isArray(value);
  const parts: string[] = [];
  let left = budget;
  for (const [key, item] of Object.entries(value)) {
    if (left <= 0) {
      parts.push('…');
      break;
    }
    const part = `${isList ? '' : `${key}: `}${briefJson(item, left)}`;
    parts.push(part);
    left -= part.length;
  }
  return isList ? `[${parts.join(', ')}]` : `{${parts.join(', ')}}`;
}

/** Whether an event holds every word of a search, anywhere in it. */
export function matchesEvent(searchable: string, words: readonly string[]): boolean {
  return words.every((word) => searchable.includes(word));
}

/** What is searched of an event. */
export function searchableText(event: FlightEvent): string {
  return JSON.stringify(event).toLowerCase();
}
