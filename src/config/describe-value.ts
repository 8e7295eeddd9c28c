import type { Json } from '../kernel/json.ts';
import { isJsonObject } from '../kernel/json.ts';

const MAX_SHOWN_CHARS = 40;

/** What a value is, in words for a message: `the text "4"`, `2.5`, `a list`, `nothing`. */
export function describeValue(value: Json | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string')
    return isJsonObject(value) ? 'a map' : value.length === 0 ? 'an empty list' : 'a list';
  const shown = value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
  return `the text ${JSON.stringify(shown)}`;
}

/** What a value of a zod type is called in a message. */
export function describeType(type: string): string {
  return TYPE_NAMES.get(type) ?? type;
}

const TYPE_NAMES = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a map'],
  ['record', 'a map'],
  ['null', 'null'],
]);

/** Words as a choice: `a, b or c`. */
export function joinChoices(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}
