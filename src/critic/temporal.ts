import { decimalKey, numberKey, toDecimal } from './decimal.ts';
import { BINDING_LETTER } from './word-letters.ts';

/** What a date, time or offset means, as keys, and what a source gives besides. */
interface TemporalKeys {
  readonly meanings: readonly (readonly string[])[];
  readonly parts: readonly string[];
}

const CLOCK = String.raw`(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const DATE = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;

/** Source of the pattern of an ISO date with or without a time, and of a time of day. */
export const TEMPORAL = String.raw`(?<!${BINDING_LETTER}|[\p{N}.,:-])(?:${DATE}(?:[T ]${CLOCK}(?:Z|[+-]\d{2}:?\d{2})?)?|${CLOCK}(?:Z|[+-]\d{2}:\d{2}|[ \u00a0\u202f]?[aApP]\.?[mM])?)(?!\p{N}|[:.]\d)`;

/** Source of the pattern of an offset from UTC: `UTC+9`, `GMT-5`, `UTC+05:30`, `+09:00`. */
export const OFFSET = String.raw`(?:(?<!${BINDING_LETTER}|\p{N})(?:UTC|GMT) ?[+±-] ?\d{1,2}(?::?\d{2})?|(?<!${BINDING_LETTER}|[\p{N}.,:)-])[+-]\d{2}:\d{2})(?!\p{N}|:\d)`;

const DATE_PARTS = /^(\d{4})-(\d\d)-(\d\d)/;
const CLOCK_PARTS = /(?:^|[T ])(\d{1,2}):(\d\d)(?::(\d\d(?:\.\d+)?))?/;
const OFFSET_PARTS = /([+±-]) ?(\d{1,2})(?::?(\d\d))?$/;

/** The keys of a text that matched `TEMPORAL`. A date and a time must stand in one source each, as a whole. */
export function readTemporal(raw: string): TemporalKeys {
  const keys: string[] = [];
  const parts: string[] = [];
  const date = DATE_PARTS.exec(raw);
  if (date !== null) {
    keys.push(`date:${date[0]}`);
    parts.push(...date.slice(1).map((digits) => decimalKey(toDecimal(digits, '', 0, false))));
  }
  const rest = date === null ? raw : raw.slice(date[0].length);
  const clock = CLOCK_PARTS.exec(rest);
  if (clock !== null) {
    const [, hours = '', minutes = '', seconds = ''] = clock;
    const time = `time:${toHours24(Number(hours), rest)}:${minutes}`;
    keys.push(Number(seconds) === 0 ? time : `${time}:${Number(seconds)}`);
    parts.push(time);
    const offset = OFFSET_PARTS.exec(rest.slice(clock[0].length));
    if (offset !== null) keys.push(offsetKey(minutesOf(offset)));
    else if (rest.endsWith('Z')) keys.push(offsetKey(0));
  }
  return { meanings: [keys], parts };
}

function toHours24(hours: number, clock: string): number {
  const half = /([ap])\.?m$/i.exec(clock)?.[1]?.toLowerCase();
  return half === undefined ? hours : (hours % 12) + (half === 'p' ? 12 : 0);
}

/** The keys of a text that matched `OFFSET`: a source may state it as an offset, in hours or in minutes. */
export function readOffset(raw: string): TemporalKeys {
  const offset = OFFSET_PARTS.exec(raw);
  const minutes = offset === null ? 0 : minutesOf(offset);
  const asNumber = [numberKey(minutes / 60), numberKey(minutes)];
  return {
    meanings: [offsetKey(minutes), ...asNumber].map((key) => [key]),
    parts: [numberKey(Math.abs(minutes) / 60)],
  };
}

function minutesOf([, sign, hours = '', minutes = '0']: RegExpExecArray): number {
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function offsetKey(minutes: number): string {
  return `offset:${minutes === 0 ? 0 : minutes}`;
}
