import type { KeyFigure } from '../contracts/memory.ts';
import { isJsonObject, type Json } from '../kernel/json.ts';

const UNITS = [
  ...[
    '%',
    '‰',
    '°C',
    '°F',
    '°',
    'K',
    'kB',
    'KB',
    'MB',
    'GB',
    'TB',
    'PB',
    'KiB',
    'MiB',
    'GiB',
    'TiB',
    'B',
    'bytes?',
  ],
  ...['bits?', 'kbit/s', 'Mbit/s', 'Gbit/s', 'MB/s', 'GB/s', 'ns', 'µs', 'us', 'ms', 'sec', 's', 'min', 'h'],
  ...[
    'seconds?',
    'minutes?',
    'hours?',
    'days?',
    'weeks?',
    'months?',
    'years?',
    'km²',
    'km2',
    'km/h',
    'km',
    'm²',
    'm2',
  ],
  ...[
    'mm',
    'cm',
    'm',
    'miles?',
    'mi',
    'ft',
    'ha',
    'kg',
    'mg',
    'g',
    't',
    'lb',
    'l',
    'ml',
    'kW',
    'MW',
    'GW',
    'W',
  ],
  ...[
    'kWh',
    'MWh',
    'V',
    'A',
    'Hz',
    'kHz',
    'MHz',
    'GHz',
    'USD',
    'EUR',
    'GBP',
    'JPY',
    'CHF',
    'dollars?',
    'euros?',
  ],
  ...['cents?', 'thousand', 'million', 'billion', 'trillion', 'people', 'inhabitants', 'tokens?', 'rows?'],
  ...[
    'lines?',
    'files?',
    'records?',
    'items?',
    'requests?',
    'errors?',
    'calls?',
    'users?',
    'times',
    'x',
    '×',
  ],
];
const DAY = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const MONTH =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)';
const TIME = String.raw`\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?`;
/** Each part is bounded, so that no text takes more than linear time. */
const SEGMENT = String.raw`[\w@.+-]{1,100}`;

/** What a figure looks like, the first kind that matches at a place. */
const PATTERNS: readonly (readonly [KeyFigure['kind'], string])[] = [
  ['url', String.raw`\bhttps?:\/\/[^\s"'<>()[\]{}]{1,500}(?<![.,;:!?])`],
  ['date', String.raw`\b\d{4}-\d{2}-\d{2}(?:[T ]${TIME})?(?![\w-])`],
  ['date', String.raw`\b${DAY} ${MONTH} \d{4}\b`],
  ['date', String.raw`\b${MONTH} ${DAY}, \d{4}\b`],
  ['id', String.raw`\b[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}\b`],
  [
    'path',
    String.raw`(?<![\w@.+/-])(?:\.{0,2}\/)?(?:${SEGMENT}\/){0,20}${SEGMENT}\.[A-Za-z]\w{0,9}:\d{1,7}(?::\d{1,5})?\b`,
  ],
  ['path', String.raw`(?<![\w@.+/-])(?:\.{0,2}\/)?(?:${SEGMENT}\/){1,20}${SEGMENT}\.[A-Za-z]\w{0,9}\b`],
  ['version', String.raw`(?<![\w.])v?\d{1,5}\.\d{1,5}\.\d{1,9}(?:-[\w.]{1,40})?(?:\+[\w.]{1,40})?\b(?!\.\d)`],
  ['version', String.raw`\bv\d{1,5}(?:\.\d{1,5})?\b`],
  ['id', String.raw`\b[A-Z][A-Z\d]{1,9}-\d{1,9}\b`],
  ['id', String.raw`(?<![\w&])#\d{1,9}\b`],
  ['id', String.raw`\b(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])[\da-f]{7,64}\b`],
  ['number', String.raw`(?<![\w.])[-+−]?[$€£¥] ?\d[\d.,]{0,30}(?: (?:thousand|million|billion|trillion)\b)?`],
  [
    'number',
    String.raw`(?<![\w.])[-+−]?\d[\d.,\u00a0\u202f]{0,30}[ \u00a0\u202f]?(?:${UNITS.join('|')})(?![\w/²])`,
  ],
  ['number', String.raw`(?<![\w.])[-+−]?\d[\d.,]{0,30}`],
];
const FIGURE = new RegExp(PATTERNS.map(([, source]) => `(${source})`).join('|'), 'gu');
const KINDS = PATTERNS.map(([kind]) => kind);

const MOST_CHARS = 100_000;

/**
 * The figures of a result, each once, at most `limit` of them: numbers with their units, paths with line numbers,
 * versions, dates, URLs and ids, character by character as they stand there.
 */
export function keyFigures(value: Json, limit = 64): KeyFigure[] {
  const found = new Map<string, KeyFigure>();
  collect(value, undefined, (figure) => {
    found.set(`${figure.field ?? ''} ${figure.text}`, figure);
    return found.size < limit;
  });
  return [...found.values()].slice(0, limit);
}

/** Gives every figure to `add` until that says that it is enough. */
function collect(value: Json, field: string | undefined, add: (figure: KeyFigure) => boolean): boolean {
  const named = field === undefined ? {} : { field };
  if (typeof value === 'number') return add({ kind: 'number', text: String(value), ...named });
  if (typeof value === 'string') {
    for (const match of value.slice(0, MOST_CHARS).matchAll(FIGURE)) {
      const index = match.slice(1).indexOf(match[0]);
      const text = match[0].replace(/[.,\u00a0\u202f]+$/u, '');
      if (!add({ kind: KINDS[index] ?? 'number', text, ...named })) return false;
    }
    return true;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).every((item) => collect(item, field, add));
  if (isJsonObject(value)) return Object.entries(value).every(([key, item]) => collect(item, key, add));
  return true;
}
