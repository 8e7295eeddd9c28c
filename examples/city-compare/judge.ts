import { type Fact, factsIn, format, label, numbersIn, sectionOf, statementsOf } from './report.ts';

/** How a text ends that is longer than it is shown. */
const CUT = /… \[cut: \d+ characters\]$|…$/u;

/**
 * Compares each city's section with the facts that were looked up for it: none may be missing, none invented. `results`
 * is null where there was no room for any. Where not all is shown, what is whole must still be stated as it is, but
 * nothing counts as invented, and nothing as absent that may stand beyond the cut.
 */
export function judge(
  shown: string,
  results: readonly unknown[] | null,
  isLeftOut: boolean,
): { score: number; issues: string[] } {
  const values = (results ?? []).map((result) => (result as { readonly value?: unknown }).value);
  const facts = factsIn(values);
  const areFactsWhole = results !== null && !isLeftOut && !values.some(isCut);
  const isReportCut = isCut(shown);
  // The last line that is shown may end within a number.
  const report = isReportCut ? shown.slice(0, Math.max(0, shown.lastIndexOf('\n'))) : shown;
  const cities = [...new Set(facts.map(({ requested }) => requested))];
  const issues = cities.flatMap((city) => {
    const text = sectionOf(report, city, cities);
    if (text === null) return isReportCut ? [] : [`${city} has no section of its own`];
    const own = facts.filter((fact) => fact.requested === city);
    const goesOn = isReportCut && report.trimEnd().endsWith(text.trimEnd());
    return [
      ...(goesOn ? [] : findMissing(city, text, own)),
      ...(areFactsWhole ? findInvented(city, text, own) : []),
    ];
  });
  if (cities.length === 0 && areFactsWhole)
    issues.push('no look-up gave any fact, so there is nothing that the report could rest on');
  return { score: issues.length === 0 ? 1 : Math.max(0, 6 - issues.length) / 10, issues };
}

function isCut(value: unknown): boolean {
  return typeof value === 'string' && CUT.test(value);
}

function findMissing(city: string, text: string, own: readonly Fact[]): string[] {
  const numbers = numbersIn(text);
  return own
    .flatMap(statementsOf)
    .filter(([, value]) =>
      typeof value === 'number'
        ? !numbers.includes(value)
        : typeof value === 'string' && !text.includes(value),
    )
    .map(
      ([key, value]) =>
        `the section of ${city} does not state its ${label(key).toLowerCase()}, ${format(value)}`,
    );
}

function findInvented(city: string, text: string, own: readonly Fact[]): string[] {
  const given = numbersIn(own.map((fact) => JSON.stringify(fact)).join('\n'));
  return numbersIn(text)
    .filter((number) => !given.includes(number))
    .map((number) => `the section of ${city} states ${format(number)}, which no look-up about it gave`);
}
