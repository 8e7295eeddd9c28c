import type { FlightEvent } from '../../flight/events.ts';
import { cutText } from '../../kernel/cut-text.ts';
import { isJsonObject, type Json, setOwn } from '../../kernel/json.ts';

/** A page larger than this is slow to open: longer texts are cut until its events fit. */
const PAGE_CHARACTERS = 48_000_000;
const TEXT_LIMITS = [1_000_000, 100_000, 10_000, 1000, 200];

/** Events that fit one page, and how many of their texts were cut for that. */
export interface FittedEvents {
  readonly events: readonly FlightEvent[];
  readonly cut: number;
}

/** Cuts long texts of events until they fit a page, the longest first; events that fit are handed on as they are. */
export function fitEvents(events: readonly FlightEvent[], characters = PAGE_CHARACTERS): FittedEvents {
  let fitted: FittedEvents = { events, cut: 0 };
  for (const limit of TEXT_LIMITS) {
    if (sizeOf(fitted.events as unknown as Json, characters) <= characters) return fitted;
    const counter = { cut: 0 };
    const shorter = cutTexts(events as unknown as Json, limit, counter) as unknown as FlightEvent[];
    fitted = { events: shorter, cut: counter.cut };
  }
  return fitted;
}

/** About how many characters a value takes as JSON; counting stops where it is more than `most`. */
function sizeOf(value: Json, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 6;
  let size = 2;
  for (const [key, item] of Object.entries(value)) {
    size += key.length + 4 + sizeOf(item, most - size);
    if (size > most) break;
  }
  return size;
}

function cutTexts(value: Json, limit: number, counter: { cut: number }): Json {
  if (typeof value === 'string') {
    if (value.length <= limit) return value;
    counter.cut++;
    return cutText(value, limit);
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => cutTexts(item, limit, counter));
  if (!isJsonObject(value)) return value;
  const result: Record<string, Json> = {};
  for (const key of Object.keys(value)) setOwn(result, key, cutTexts(value[key] as Json, limit, counter));
  return result;
}
