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
