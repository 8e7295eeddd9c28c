import { describe, expect, it } from 'vitest';
import mock from '../../../examples/city-compare/mock.ts';
import * as tools from '../../../examples/city-compare/tools.ts';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { section } from '../../../src/contracts/section.ts';
import type { Tool } from '../../../src/contracts/tool.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { createToolContext } from '../../support/tool-context.ts';

interface Node {
  readonly id: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}
interface Plan {
  readonly nodes: Node[];
  readonly output: string;
}

const TOOLS = [
  tools.getPopulation,
  tools.getTimezone,
  tools.getLocation,
  tools.summarizeCity,
  tools.aggregateReport,
];

async function complete(role: string, messages: ModelRequest['messages']): Promise<string> {
  const request = { role, model: '', messages, maxOutputTokens: 4096 };
  const answer = await mock.complete(request, { key: 'k', signal: new AbortController().signal });
  expect(answer.usage.inputTokens).toBeGreaterThan(0);
  expect(answer.usage.outputTokens).toBeGreaterThan(0);
  return answer.text;
}

const ask = (role: string, sections: Readonly<Record<string, Json>>): Promise<string> =>
  complete(role, [
    {
      role: 'user',
      content: Object.entries(sections)
        .map(([name, value]) => section(name, value))
        .join('\n\n'),
    },
  ]);

const catalogue = (available: readonly Tool[] = TOOLS): Json =>
  available.map(({ spec }) => spec) as unknown as Json;

const planSections = (cities: Json, available = TOOLS, goal = 'Compare them in one report.') => ({
  goal,
  inputs: { cities },
  catalogue: catalogue(available),
  limits: { maxNodes: 1000, foreachItems: 100 },
});

const draw = async (cities: Json, available?: Tool[], goal?: string): Promise<Plan> =>
  JSON.parse(await ask('planner', planSections(cities, available, goal))) as Plan;

/** Runs a plan by hand, the aggregator's questions answered by the mock. */
async function run({ nodes, output }: Plan, issues: string[] = []) {
  const values = new Map<string, Json>();
  const results: { node: string; tool: string; value: Json }[] = [];
  const resolve = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(resolve);
    const ref = typeof value === 'object' && value !== null ? (value as { $ref?: string }).$ref : undefined;
    return ref === undefined ? value : (values.get(ref) ?? null);
  };
  const context = createToolContext({
    ask: (role, { instructions = '', prompt }) =>
      complete(role, [
        { role: 'system', content: instructions },
        { role: 'user', content: prompt },
        ...(issues.length > 0 ? [{ role: 'user' as const, content: section('issues', issues) }] : []),
      ]),
  });
  for (const { id, tool, args } of nodes) {
    const resolved = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, resolve(value)]));
    const value = await callTool(
      TOOLS.find(({ spec }) => spec.name === tool)!,
      resolved,
      context,
    );
    values.set(id, value);
    results.push({ node: id, tool, value });
  }
  return { report: String(values.get(output)), results };
}

const judge = async (
  report: string,
  results: readonly Json[],
): Promise<{ score: number; issues: string[] }> =>
  JSON.parse(await ask('critic', { goal: 'g', rubric: null, report, results })) as {
    score: number;
    issues: string[];
  };

describe('planner', () => {
  it('gives ten nodes for three cities: nine look-ups without dependencies and one report', async () => {
    const { nodes, output } = await draw(['Tokyo', 'Paris', 'Lima']);
    expect(nodes.map(({ id }) => id)).toEqual([
      ...['tokyo', 'paris', 'lima'].flatMap((city) => [
        `population_${city}`,
        `timezone_${city}`,
        `location_${city}`,
      ]),
      'report',
    ]);
    expect(output).toBe('report');
    expect(nodes.at(-1)?.args['facts']).toEqual(nodes.slice(0, -1).map(({ id }) => ({ $ref: id })));
    expect(nodes.slice(0, -1).every(({ args }) => Object.keys(args).join() === 'city')).toBe(true);
  });

  it('plans with the tools that there are', async () => {
    const { nodes } = await draw(
      ['Tokyo', 'Paris'],
      TOOLS.filter((tool) => tool !== tools.getTimezone),
    );
    expect(nodes.map(({ tool }) => tool)).toEqual([
      'get_population',
      'get_location',
      'get_population',
      'get_location',
      'aggregate_report',
    ]);
  });

  it('has each city summed up where the goal asks for it', async () => {
    const { nodes } = await draw(['Tokyo'], TOOLS, 'Compare them, with a summary of each.');
    expect(nodes.find(({ tool }) => tool === 'summarize_city')?.args['facts']).toHaveLength(3);
    expect(nodes.at(-1)?.args['facts']).toHaveLength(4);
  });

  it('takes any cities: a list, a text, names that only differ in accents, long ones, one given twice', async () => {
    expect((await draw('Paris, Osaka ,Lima')).nodes).toHaveLength(10);
    const { nodes } = await draw(['Malmö', 'Malmo', 'x'.repeat(100), 'Lima', 'Lima', '__proto__', '東京']);
    const ids = nodes.map(({ id }) => id);
    expect(nodes).toHaveLength(6 * 3 + 1);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(64);
  });

  it.each([
    ['no cities', { cities: [] }, TOOLS, /inputs name no cities/],
    ['other inputs', { towns: ['Paris'] }, TOOLS, /inputs name no cities/],
    [
      'no tool that reports',
      { cities: ['Paris'] },
      [tools.getPopulation],
      /no tool of the catalogue writes a report/,
    ],
  ])('says so in prose: %s', async (_what, inputs, available, text) => {
    expect(await ask('planner', { ...planSections([], available), inputs })).toMatch(text);
  });
});

describe('replanner', () => {
  const redraw = async (plan: Plan, failures: Json, done: string[]): Promise<string> =>
    ask('replanner', {
      ...planSections(['Tokyo', 'Atlantis']),
      plan: plan.nodes.map((node) => ({ ...node, deps: [] })) as unknown as Json,
      done: done.map((id) => ({ id, tool: plan.nodes.find((node) => node.id === id)!.tool })),
      failures,
    });

  const failure = (tool: string, city: string, kind: string) => ({
    node: `${tool.replace('get_', '')}_${city.toLowerCase()}`,
    tool,
    args: { city },
    code: 'x',
    class: kind,
  });

  it('drops every look-up of a city that is not known, and keeps the rest', async () => {
    const plan = await draw(['Tokyo', 'Atlantis']);
    const done = ['population_tokyo', 'timezone_tokyo'];
    const { nodes } = JSON.parse(
      await redraw(plan, [failure('get_population', 'Atlantis', 'MISSING_INFO')], done),
    ) as Plan;
    expect(nodes.map(({ id }) => id)).toEqual([
      'population_tokyo',
      'timezone_tokyo',
      'location_tokyo',
      'report',
    ]);
    expect(nodes.at(-1)?.args['cities']).toEqual(['Tokyo', 'Atlantis']);
  });

  it('drops one look-up that failed otherwise', async () => {
    const plan = await draw(['Tokyo', 'Atlantis']);
    const { nodes } = JSON.parse(
      await redraw(plan, [failure('get_timezone', 'Tokyo', 'PERMANENT')], []),
    ) as Plan;
    expect(nodes.map(({ id }) => id)).not.toContain('timezone_tokyo');
    expect(nodes).toHaveLength(6);
  });

  it('keeps the ids of done nodes that were named otherwise, and does not take the id of another', async () => {
    const plan: Plan = {
      nodes: [
        { id: 'p', tool: 'get_population', args: { city: 'Tokyo' } },
        { id: 'report', tool: 'aggregate_report', args: { cities: ['Tokyo'], facts: [{ $ref: 'p' }] } },
      ],
      output: 'report',
    };
    const { nodes, output } = JSON.parse(await redraw(plan, [], ['p', 'report'])) as Plan;
    expect(nodes[0]?.id).toBe('p');
    expect(output).toBe('report_2');
  });

  it('says so where it knows of no other plan', async () => {
    expect(await redraw(await draw(['Tokyo', 'Atlantis']), [], [])).toBe(
      'I know of no other plan for this goal with these tools.',
    );
  });
});

describe('aggregator', () => {
  it('writes a section per city from the facts, which passes every check and the judge', async () => {
    const cities = ['Tokyo', 'London', 'London, Canada', 'Lima'];
    const { report, results } = await run(await draw(cities));
    expect(report).toContain('## London, Canada');
    expect(report).toContain('- Population: 340,900 (');
    expect(report).toContain('- Note: Several places are called "London"');
    expect(tools.cityFacts(report, { inputs: { cities }, results })).toMatchObject({ ok: true });
    expect(await judge(report, results)).toEqual({ score: 1, issues: [] });
  });

  it('says so for a city, and for a fact, that it was not given', async () => {
    const { nodes, output } = await draw(['Tokyo', 'Lima']);
    const kept = nodes.slice(0, -1).filter(({ id }) => id !== 'timezone_lima');
    const report = {
      id: 'report',
      tool: 'aggregate_report',
      args: { cities: ['Tokyo', 'Lima', 'Atlantis'], facts: kept.map(({ id }) => ({ $ref: id })) },
    };
    const written = await run({ nodes: [...kept, report], output });
    expect(written.report).toContain('## Atlantis\n\nNo data was found for Atlantis.');
    expect(written.report).toContain('- Time zone: no data was found');
    expect(
      tools.cityFacts(written.report, { inputs: { cities: ['Lima'] }, results: written.results }).ok,
    ).toBe(false);
  });

  it('says so where it was given nothing at all', async () => {
    expect(await ask('aggregator', { title: 'T', cities: ['Paris'], facts: [] })).toBe(
      '# T\n\n## Paris\n\nNo data was found for Paris.',
    );
  });

  it('takes facts of any kind', async () => {
    const text = await ask('aggregator', {
      cities: ['Paris'],
      facts: [[{ requested: 'Paris', area_km2: 105.4, tags: ['x'] }], null, 'noise', 3],
    });
    expect(text).toContain('- Area km2: 105.4\n- Tags: ["x"]');
  });

  it('is given the issues of a review', async () => {
    const { report } = await run(await draw(['Tokyo']), ['Tokyo is too short']);
    expect(report).toContain('_Written anew after a review, from the same facts._');
  });

  it('works in summaries', async () => {
    const { report } = await run(await draw(['Lima'], TOOLS, 'Summarise each city.'));
    expect(report).toContain('Lima, Peru: population 7,385,117, time zone America/Lima.');
  });
});

describe('critic', () => {
  it('fails a report whose populations are swapped', async () => {
    const { report, results } = await run(await draw(['Tokyo', 'Lima']));
    const swapped = report
      .replaceAll('22,006,300', 'X')
      .replaceAll('7,385,117', '22,006,300')
      .replaceAll('X', '7,385,117');
    const { score, issues } = await judge(swapped, results);
    expect(score).toBeLessThan(0.5);
    expect(issues).toContain('the section of Tokyo does not state its population, 22,006,300');
    expect(issues).toContain('the section of Lima states 22,006,300, which no look-up about it gave');
  });

  it.each([
    [
      'a time zone is missing',
      (report: string) => report.replace('- Time zone: America/Lima\n', ''),
      'the section of Lima does not state its time zone, America/Lima',
    ],
    [
      'a number is invented',
      (report: string) => report.replace('## Lima\n', '## Lima\nFounded in 1535.\n'),
      'the section of Lima states 1,535, which no look-up about it gave',
    ],
    [
      'a section is missing',
      (report: string) => report.slice(0, report.indexOf('## Lima')),
      'Lima has no section of its own',
    ],
  ])('fails a report in which %s', async (_what, change, issue) => {
    const { report, results } = await run(await draw(['Tokyo', 'Lima']));
    const { score, issues } = await judge(change(report), results);
    expect(score).toBeLessThan(0.7);
    expect(issues).toEqual([issue]);
  });

  it('fails a report that rests on nothing', async () => {
    expect((await judge('# A fine report', [])).score).toBeLessThan(0.7);
  });
});

describe('the other roles', () => {
  it('finalizer writes up what there is and names what is missing', async () => {
    const results = [
      {
        node: 'population_lima',
        tool: 'get_population',
        value: { requested: 'Lima', population: 7_385_117 },
      },
    ];
    const missing = [{ node: 'report', tool: 'aggregate_report', state: 'refused' }];
    const text = await ask('finalizer', { goal: 'g', results, missing });
    expect(text).toContain('- Population: 7,385,117');
    expect(text).toContain('Not obtained: report (refused).');
    expect(await ask('finalizer', { goal: 'g', results: [], missing })).toContain('Nothing was found');
  });

  it('repairer leaves out unknown keys and unwraps a list of one', async () => {
    const tool = tools.getPopulation.spec as unknown as Json;
    const text = await ask('repairer', { tool, args: { city: ['Lima'], year: 2020 }, issues: [] });
    expect(JSON.parse(text)).toEqual({ city: 'Lima' });
  });
});
