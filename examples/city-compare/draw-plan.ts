import { isDeepStrictEqual } from 'node:util';
import type { Json, MockKit } from 'sortie';
import { fold } from './fold.ts';

/** A tool as a request lists it. */
export interface CatalogueTool {
  readonly name: string;
  readonly input: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

/** A node as the planner writes it. */
export interface PlannedNode {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

/** What could not be done, and with what. */
export interface FailedNode {
  readonly tool: string;
  readonly args?: { readonly city?: unknown };
  readonly class: string;
}

interface RememberedRun {
  readonly failures?: readonly { readonly tool: string; readonly code: string; readonly message: string }[];
}

/** One look-up per city and look-up tool, a summary per city where the goal asks for one, and the report. */
export function drawPlan(
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

/** What earlier runs could not find of the cities that are asked for now, as far as the planner is told of it. */
export function rememberedFailures(kit: MockKit): FailedNode[] {
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

/** Whether a tool takes an argument of that name. */
export function has(tool: CatalogueTool, key: string): boolean {
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
export function listIn(kit: MockKit, name: string): readonly unknown[] {
  const value = kit.section(name);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

/** A text of the request; empty where there is none. */
export function textIn(kit: MockKit, name: string): string {
  const value = kit.section(name);
  return typeof value === 'string' ? value : '';
}
