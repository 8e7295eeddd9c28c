import { describe, expect, it } from 'vitest';
import * as tools from '../../../examples/city-compare/tools.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { ask, draw, type Plan, planSections, TOOLS } from '../../support/city-mock.ts';

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
      plan: plan.nodes.map((node) => ({ ...node, deps: [] })),
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
