// A deterministic stand-in for language models. It has no canned answers: each role reads the sections of the request
// that it is sent and works from them alone, so that other tools, inputs or facts give other answers.
import { defineMock, type MockKit } from 'sortie';
import { drawPlan, listIn, rememberedFailures, textIn } from './draw-plan.ts';
import { judge } from './judge.ts';
import { describe, type Fact, factsIn, format, label, statementsOf } from './report.ts';

/** What is asked only where something went wrong, and loaded only then. */
const recovery = (): Promise<typeof import('./recovery.ts')> => import('./recovery.ts');

export default defineMock({
  name: 'city-mock',
  roles: {
    planner: (_request, kit) => drawPlan(kit, rememberedFailures(kit), [], []),
    replanner: async (_request, kit) => (await recovery()).redrawPlan(kit),
    summarizer: (_request, kit) => summarize(textIn(kit, 'city'), factsIn(listIn(kit, 'facts'))),
    aggregator: (_request, kit) => writeReport(kit),
    critic: ({ messages }, kit) => {
      const results = kit.section('results') === undefined ? null : listIn(kit, 'results');
      const isLeftOut = messages.some(({ content }) => LEFT_OUT.test(JSON.stringify(content)));
      return JSON.stringify(judge(textIn(kit, 'report'), results, isLeftOut));
    },
    finalizer: async (_request, kit) => (await recovery()).writePartialReport(kit),
    repairer: async (_request, kit) => JSON.stringify((await recovery()).repairArgs(kit)),
  },
});

/** How a request says, behind its results, that there are more. */
const LEFT_OUT = /<\/results[^>]*>\\n\(\d+ more left out\)/;

function writeReport(kit: MockKit): string {
  const facts = factsIn(listIn(kit, 'facts'));
  const cities = listIn(kit, 'cities').map(String);
  const keys = [...new Set(facts.flatMap((fact) => statementsOf(fact).map(([key]) => key)))];
  return [
    `# ${textIn(kit, 'title') || 'City comparison'}`,
    ...compare(cities, facts),
    ...cities.map((city) => `## ${city}\n\n${describe(city, facts, keys)}`),
    ...(listIn(kit, 'issues').length > 0 ? ['_Written anew after a review, from the same facts._'] : []),
  ].join('\n\n');
}

function compare(cities: readonly string[], facts: readonly Fact[]): string[] {
  const ranked = facts
    .filter((fact) => cities.includes(fact.requested) && typeof fact['population'] === 'number')
    .sort((a, b) => Number(b['population']) - Number(a['population']));
  const [most, least] = [ranked[0], ranked.at(-1)];
  if (most === undefined || least === undefined || most === least) return [];
  const name = (fact: Fact): string => `${fact.requested} (${format(fact['population'])})`;
  return [`The most populous of these cities is ${name(most)}, the least populous ${name(least)}.`];
}

function summarize(city: string, facts: readonly Fact[]): string {
  const statements = facts
    .flatMap(statementsOf)
    .map(([key, value]) => `${label(key).toLowerCase()} ${format(value)}`);
  if (statements.length === 0) return `No data was found for ${city}.`;
  const country = facts.map((fact) => fact['country']).find((name) => typeof name === 'string');
  return `${city}${country === undefined ? '' : `, ${country}`}: ${statements.join(', ')}.`;
}
