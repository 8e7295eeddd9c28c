import { fold } from './fold.ts';

/** What is known of a city: one result of a look-up. */
export type Fact = Readonly<Record<string, unknown>> & { readonly requested: string };

/** The facts among values of any kind; lists are looked into. */
export function factsIn(values: readonly unknown[]): Fact[] {
  return values.flat(3).filter(isFact);
}

function isFact(value: unknown): value is Fact {
  return (
    typeof value === 'object' && value !== null && typeof (value as Partial<Fact>).requested === 'string'
  );
}

/** Keys that say which city a fact is about, or how to read it. */
const FRAME = [
  'requested',
  'city',
  'country',
  'province',
  'latitude',
  'longitude',
  'counted',
  'note',
  'summary',
];

/** What a fact states that no other part of a section is made from, such as its population. */
export function statementsOf(fact: Fact): [string, unknown][] {
  return Object.entries(fact).filter(([key]) => !FRAME.includes(key));
}

/** A key of a fact as a report names it. */
export function label(key: string): string {
  const words = key === 'timezone' ? 'time zone' : key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of a fact as a report states it. */
export function format(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return JSON.stringify(value);
  const [whole = '', fraction] = String(value).split('.');
  // Digits in threes; Intl would take longer to load than all the rest of this file.
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The body of a city's section. `keys` are what is known of any city: where this one lacks one, that is said. */
export function describe(city: string, facts: readonly Fact[], keys: readonly string[]): string {
  const own = facts.filter((fact) => fact.requested === city);
  if (own.length === 0) return `No data was found for ${city}.`;
  const text = (key: string): string[] =>
    own.flatMap((fact) => (typeof fact[key] === 'string' ? [fact[key]] : []));
  const statements = keys.map((key) => {
    const fact = own.find((candidate) => key in candidate);
    if (fact === undefined) return `- ${label(key)}: no data was found`;
    const counted =
      key === 'population' && typeof fact['counted'] === 'string' ? ` (${fact['counted']})` : '';
    return `- ${label(key)}: ${format(fact[key])}${counted}`;
  });
  const place = own.find((fact) => 'latitude' in fact && 'longitude' in fact);
  const lies = [text('province')[0], text('country')[0]].filter((part) => part !== undefined).join(', ');
  const coordinates =
    place && `; latitude ${format(place['latitude'])}, longitude ${format(place['longitude'])}`;
  return [
    ...text('summary').map((summary) => `${summary}\n`),
    ...statements,
    ...(lies === '' ? [] : [`- Location: ${lies}${coordinates ?? ''}`]),
    ...[...new Set(text('note'))].map((note) => `- Note: ${note}`),
  ].join('\n');
}

interface Heading {
  readonly line: number;
  readonly level: number;
  readonly text: string;
}

/**
 * The part of a Markdown report under the heading of one city, up to the next heading of its level; null where no
 * heading names this city and no other. A title that names them all is nobody's section.
 */
export function sectionOf(report: string, city: string, cities: readonly string[]): string | null {
  const lines = report.split('\n');
  const headings = lines.flatMap(readHeading);
  const others = cities.filter((other) => fold(other) !== fold(city));
  const heading =
    headings.find(({ text }) => fold(text) === fold(city)) ??
    headings.find(({ text }) => names(text, city) && !others.some((other) => names(text, other)));
  if (heading === undefined) return null;
  const next = headings.find(({ line, level }) => line > heading.line && level <= heading.level);
  return lines.slice(heading.line + 1, next?.line).join('\n');
}

function readHeading(text: string, line: number): Heading[] {
  const marked = /^(#{1,6})\s+(.+?)\s*#*$/.exec(text);
  if (marked !== null) return [{ line, level: (marked[1] ?? '').length, text: marked[2] ?? '' }];
  const bold = /^\*\*([^*]+)\*\*:?$/.exec(text.trim());
  return bold === null ? [] : [{ line, level: 7, text: bold[1] ?? '' }];
}

function names(text: string, city: string): boolean {
  return ` ${fold(text)} `.includes(` ${fold(city)} `);
}

/** Every number of a text; thousands may be separated. */
export function numbersIn(text: string): number[] {
  const found = text.match(
    /(?<![\p{L}\p{N}])-?(?:\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?!\d)|\d+)(?:\.\d+)?/gu,
  );
  return (found ?? []).map((number) => Number(number.replace(/[,'’ \u00a0\u202f]/g, '')));
}
