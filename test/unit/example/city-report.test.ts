import { describe, expect, it } from 'vitest';
import * as tools from '../../../examples/city-compare/tools.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { SourceResult } from '../../../src/critic/check-context.ts';
import { judgeRequest } from '../../../src/critic/judge.ts';
import { ask, complete, draw, run, TOOLS } from '../../support/city-mock.ts';

const judge = async (
  report: string,
  results: readonly Json[],
): Promise<{ score: number; issues: string[] }> =>
  JSON.parse(await ask('critic', { goal: 'g', rubric: null, report, results })) as {
    score: number;
    issues: string[];
  };

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

describe('critic with little room', () => {
  const swap = (text: string): string =>
    text.replaceAll('22,006,300', 'X').replaceAll('7,385,117', '22,006,300').replaceAll('X', '7,385,117');
  const written = async () => run(await draw(['Tokyo', 'Lima', 'Paris']));
  const judgeIn = async (report: string, results: readonly SourceResult[], contextChars: number) => {
    const { messages } = judgeRequest({ goal: 'g', rubric: null, report, results, contextChars });
    return JSON.parse(await complete('critic', messages)) as { score: number; issues: string[] };
  };

  it('faults nothing in a correct report, wherever report and results are cut', async () => {
    const { report, results } = await written();
    for (let chars = 0; chars <= 4000; chars += 20) {
      expect([chars, await judgeIn(report, results, chars)]).toEqual([chars, { score: 1, issues: [] }]);
    }
  });

  it('still fails swapped populations that whole results contradict', async () => {
    const { report, results } = await written();
    const noisy = [{ node: 'x', tool: 'echo', value: 'x'.repeat(9000) }, ...results];
    const { score, issues } = await judgeIn(swap(report), noisy, 4000);
    expect(score).toBeLessThan(0.7);
    expect(issues).toEqual([
      'the section of Tokyo does not state its population, 22,006,300',
      'the section of Lima does not state its population, 7,385,117',
    ]);
  });

  it('still fails a number that a whole result contradicts while others are cut', async () => {
    const { report, results } = await written();
    const noisy = [...results, { node: 'x', tool: 'echo', value: 'x'.repeat(9000) }];
    const { issues } = await judgeIn(
      report.replace(/- Population: 22,006,300/, '- Population: 5'),
      noisy,
      4000,
    );
    expect(issues).toEqual(['the section of Tokyo does not state its population, 22,006,300']);
  });

  it('faults numbers that nothing gave as soon as all is shown', async () => {
    const { report, results } = await written();
    const { issues } = await judgeIn(
      report.replace('## Lima\n', '## Lima\nFounded in 1535.\n'),
      results,
      9000,
    );
    expect(issues).toEqual(['the section of Lima states 1,535, which no look-up about it gave']);
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
