// A deterministic stand-in for language models. It has no canned answers: each role reads the sections of the request
// that it is sent and works from them alone, so that other tools, inputs or facts give other answers.
import { isDeepStrictEqual } from 'node:util';
import { defineMock, type Json, type MockKit } from 'sortie';
import { fold } from './fold.ts';
import { judge } from './judge.ts';
import { type Fact, factsIn, format, label, statementsOf } from './report.ts';

interface CatalogueTool {
  readonly name: string;
  readonly input: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

interface PlannedNode {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

interface FailedNode {
  readonly tool: string;
  readonly args?: { readonly city?: unknown };
  readonly class: string;
}

interface RememberedRun {
  readonly failures?: readonly { readonly tool: string; readonly code: string; readonly message: string }[];
}

export default defineMock({
  name: 'city-mock',
  roles: {
    planner: (_request, kit) => drawPlan(kit, rememberedFailures(kit), [], []),
    replanner: (_request, kit) => redrawPlan(kit),
    summarizer: (_request, kit) => summarize(textIn(kit, 'city'), factsIn(listIn(kit, 'facts'))),
    aggregator: (_request, kit) => writeReport(kit),
    critic: ({ messages }, kit) => {
      const results = kit.section('results') === undefined ? null : listIn(kit, 'results');
      const isLeftOut = messages.some(({ content }) => LEFT_OUT.test(JSON.stringify(content)));
      return JSON.stringify(judge(textIn(kit, 'report'), results, isLeftOut));
    },
    finalizer: (_request, kit) => writePartialReport(kit),
    repairer: (_request, kit) => JSON.stringify(repairArgs(kit)),
  },
});

/** How a request says, behind its results, that there are more. */
const LEFT_OUT = /<\/results[^>]*>\\n\(\d+ more left out\)/;

/** One look-up per city and look-up tool, a summary per city where the goal asks for one, and the report. */
function drawPlan(
  kit: MockKit,
  failures: readonly FailedNode[],
  previous: readonly PlannedNode[],
  doneIds: readonly string[],
): string {
  const cities = citiesIn(kit);
  const tools = listIn(kit, 'catalogue') as readonly CatalogueTool[];
  const lookups = tools.filter(
    (tool) => has(tool, 'city') && (tool.input.required ?? []).every((key) => key === 'city'),
  );
  const summarizer = tools.find((tool) => has(tool, 'city') && has(tool, 'facts'));
  const reporter = tools.find((tool) => has(tool, 'cities') && has(tool, 'facts'));
  if (cities.length === 0) return 'I cannot draw a plan: the inputs name no cities under "cities".';
  if (reporter === undefined)
    return 'I cannot draw a plan: no tool of the catalogue writes a report from facts.';

  const nodes: PlannedNode[] = [];
  const add = (name: string, tool: string, args: PlannedNode['args']): Json => {
    const kept = previous.find(
      (node) => doneIds.includes(node.id) && isDeepStrictEqual([node.tool, node.args], [tool, args]),
    );
    const taken = [...doneIds, ...nodes.map(({ id }) => id)];
    nodes.push({ id: kept?.id ?? freeId(name, taken), tool, args });
    return { $ref: nodes.at(-1)?.id ?? '' };
  };
  const cannotFind = (tool: string, city: string): boolean =>
    failures.some(
      (failure) => failure.args?.city === city && (failure.class === 'MISSING_INFO' || failure.tool === tool),
    );
  const wantsSummaries = /\bsummar(?:y|ies|i[sz]e)\b/i.test(textIn(kit, 'goal'));

  const facts = cities.flatMap((city) => {
    const found = lookups
      .filter(({ name }) => !cannotFind(name, city))
      .map(({ name }) => add(`${name.replace(/^get_/, '')}_${slug(city)}`, name, { city }));
    if (!wantsSummaries || summarizer === undefined || found.length === 0) return found;
    return [...found, add(`summary_${slug(city)}`, summarizer.name, { city, facts: found })];
  });
  add('report', reporter.name, { cities, facts });
  return JSON.stringify({ nodes, output: nodes.at(-1)?.id });
}

/** The plan without what cannot be found; what is done stays. The same plan again would fail again, so it is not given. */
function redrawPlan(kit: MockKit): string {
  const previous = (listIn(kit, 'plan') as readonly PlannedNode[]).map(({ id, tool, args }) => ({
    id,
    tool,
    args,
  }));
  const done = (listIn(kit, 'done') as readonly { readonly id: string }[]).map(({ id }) => id);
  const failures = [...(listIn(kit, 'failures') as readonly FailedNode[]), ...rememberedFailures(kit)];
  const text = drawPlan(kit, failures, previous, done);
  if (!text.startsWith('{')) return text;
  const { nodes } = JSON.parse(text) as { nodes: PlannedNode[] };
  return isDeepStrictEqual(nodes, previous)
    ? 'I know of no other plan for this goal with these tools.'
    : text;
}

/** What earlier runs could not find of the cities that are asked for now, as far as the planner is told of it. */
function rememberedFailures(kit: MockKit): FailedNode[] {
  const episodes = listIn(kit, 'memory-episodes') as readonly RememberedRun[];
  return episodes
    .flatMap(({ failures }) => failures ?? [])
    .filter(({ code }) => code === 'missing_info')
    .flatMap(({ tool, message }) =>
      citiesIn(kit)
        .filter((city) => message.includes(JSON.stringify(city)))
        .map((city) => ({ tool, args: { city }, class: 'MISSING_INFO' })),
    );
}

function has(tool: CatalogueTool, key: string): boolean {
  return Object.hasOwn(tool.input.properties ?? {}, key);
}

function slug(city: string): string {
  return fold(city).replaceAll(' ', '_').slice(0, 32);
}

function freeId(name: string, taken: readonly string[]): string {
  const base = name.slice(0, 60);
  let id = base;
  for (let count = 2; taken.includes(id); count++) id = `${base}_${count}`;
  return id;
}

function citiesIn(kit: MockKit): string[] {
  const inputs = kit.section('inputs') as { readonly cities?: Json } | undefined;
  const cities = inputs?.cities;
  const names =
    typeof cities === 'string' ? cities.split(',') : Array.isArray(cities) ? cities.map(String) : [];
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

/** A list of the request, of a shape that the prompts promise; empty where there is none. */
function listIn(kit: MockKit, name: string): readonly unknown[] {
  const value = kit.section(name);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function textIn(kit: MockKit, name: string): string {
  const value = kit.section(name);
  return typeof value === 'string' ? value : '';
}

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

/** The body of a city's section. `keys` are what is known of any city: where this one lacks one, that is said. */
function describe(city: string, facts: readonly Fact[], keys: readonly string[]): string {
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

function summarize(city: string, facts: readonly Fact[]): string {
  const statements = facts
    .flatMap(statementsOf)
    .map(([key, value]) => `${label(key).toLowerCase()} ${format(value)}`);
  if (statements.length === 0) return `No data was found for ${city}.`;
  const country = facts.map((fact) => fact['country']).find((name) => typeof name === 'string');
  return `${city}${country === undefined ? '' : `, ${country}`}: ${statements.join(', ')}.`;
}

function writePartialReport(kit: MockKit): string {
  const results = listIn(kit, 'results') as readonly { readonly value?: Json }[];
  const facts = factsIn(results.map(({ value }) => value));
  const keys = [...new Set(facts.flatMap((fact) => statementsOf(fact).map(([key]) => key)))];
  const missing = listIn(kit, 'missing') as readonly { readonly node: string; readonly state: string }[];
  return [
    '# Partial report',
    facts.length === 0 ? 'Nothing was found before the run ended.' : 'What was found before the run ended.',
    ...[...new Set(facts.map(({ requested }) => requested))].map(
      (city) => `## ${city}\n\n${describe(city, facts, keys)}`,
    ),
    ...(missing.length > 0
      ? [`Not obtained: ${missing.map(({ node, state }) => `${node} (${state})`).join(', ')}.`]
      : []),
  ].join('\n\n');
}

/** The arguments without keys that the tool does not know; a list of one where a text is wanted becomes that text. */
function repairArgs(kit: MockKit): Readonly<Record<string, Json>> {
  const tool = kit.section('tool') as unknown as CatalogueTool | undefined;
  const args = kit.section('args');
  if (tool === undefined || typeof args !== 'object' || args === null || Array.isArray(args)) return {};
  const repaired = Object.entries(args as Readonly<Record<string, Json>>)
    .filter(([key]) => has(tool, key))
    .map(([key, value]): [string, Json] => {
      const { type } = (tool.input.properties?.[key] ?? {}) as { readonly type?: unknown };
      if (type === 'string' && Array.isArray(value) && value.length === 1) return [key, String(value[0])];
      return [key, type === 'array' && !Array.isArray(value) ? [value] : value];
    });
  return Object.fromEntries(repaired);
}
