import { canonicalJson } from '../kernel/canonical-json.ts';
import { cutText } from '../kernel/cut-text.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { section } from './section.ts';

/** Below so many characters per item, items are left out rather than cut further. */
const SMALLEST_ITEM = 96;

/**
 * A section that holds a text, at most `limit` characters in all, tags and escapes included: whole where it fits,
 * else cut with a marker, and empty where not even its tags fit.
 */
export function fitTextSection(name: string, text: string, limit: number): string {
  const whole = section(name, text);
  if (whole.length <= limit) return whole;
  const room = limit - section(name, '').length;
  return room < 1 ? '' : section(name, cutToEncoded(text, room));
}

/**
 * A section that holds a list, at most `limit` characters in all, tags and escapes included. Where it does not fit,
 * the largest `value`s are cut first, each to the same length and with a marker, and become texts; items for which
 * there is no room are left out from the end, and a line after the section says how many.
 */
export function fitListSection(name: string, items: readonly JsonObject[], limit: number): string {
  return fitList(name, items, limit).text;
}

/** The same section, and whether every item is in it as it is. */
export function fitList(
  name: string,
  items: readonly JsonObject[],
  limit: number,
): { readonly text: string; readonly isWhole: boolean } {
  const sizes = items.map((item) => encodedLength(item) + 1);
  const frame = section(name, []).length;
  if (frame + Math.max(0, sum(sizes) - 1) <= limit) return { text: section(name, items), isWhole: true };
  const room = limit - frame - leftOutLine(items.length).length;
  if (room < 0) return { text: '', isWhole: items.length === 0 };
  const considered = countFitting(sizes, room);
  const share = equalShare(sizes.slice(0, considered), room);
  const kept: JsonObject[] = [];
  for (const [index, item] of items.slice(0, considered).entries()) {
    const fitting = (sizes[index] ?? 0) <= share ? item : shrink(item, share - 1);
    if (fitting !== null) kept.push(fitting);
  }
  const leftOut = items.length - kept.length;
  const text = section(name, kept) + (leftOut > 0 ? leftOutLine(leftOut) : '');
  return { text, isWhole: false };
}

function leftOutLine(count: number): string {
  return `\n(${count} more left out)`;
}

/** How many of the first items fit when each large one is cut to the smallest size. */
function countFitting(sizes: readonly number[], room: number): number {
  let used = 0;
  const end = sizes.findIndex((size) => (used += Math.min(size, SMALLEST_ITEM)) > room);
  return end < 0 ? sizes.length : end;
}

/** The size to which items must be cut so that all of them fit into `room`, small ones keeping theirs. */
function equalShare(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = sizes.toSorted((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** The item with its value cut so that it takes at most `limit` characters; null where its other fields take more. */
function shrink(item: JsonObject, limit: number): JsonObject | null {
  const { value } = item;
  if (value === undefined) return null;
  const room = limit - encodedLength({ ...item, value: '' });
  if (room < 1) return null;
  return { ...item, value: cutToEncoded(typeof value === 'string' ? value : canonicalJson(value), room) };
}

/** The text cut so that its escaped form takes at most `room` characters. */
export function cutToEncoded(text: string, room: number): string {
  for (let limit = room; limit > 0;) {
    const cut = cutText(text, limit);
    const excess = encodedLength(cut) - 2 - room;
    if (excess <= 0) return cut;
    // One character takes six at most, so that going down by a sixth of the excess never skips what fits.
    limit = Math.min(limit, cut.length) - Math.max(1, Math.floor(excess / 6));
  }
  return '';
}

/** The length of a value as a section holds it: as canonical JSON in which `<` is escaped. */
export function encodedLength(value: Json): number {
  const json = canonicalJson(value);
  let length = json.length;
  for (let index = json.indexOf('<'); index >= 0; index = json.indexOf('<', index + 1)) length += 5;
  return length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
