import { describe, expect, it } from 'vitest';
import cityTimezones from 'city-timezones';
import type { Tool } from '../../../src/contracts/tool.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { callTool } from '../../../src/tools/call-tool.ts';
import { resolveCity } from '../../../examples/city-compare/cities.ts';
import * as tools from '../../../examples/city-compare/tools.ts';
import { createToolContext } from '../../support/tool-context.ts';

const call = async (tool: Tool, args: Json): Promise<Json> => callTool(tool, args, createToolContext());

describe('look-ups', () => {
  it('answer from the data set, rounded', async () => {
    expect(await call(tools.getPopulation, { city: 'Tokyo' })).toEqual({
      requested: 'Tokyo',
      city: 'Tokyo',
      country: 'Japan',
      population: 22_006_300,
      counted: expect.stringContaining('Natural Earth') as string,
    });
    expect(await call(tools.getTimezone, { city: 'Tokyo' })).toMatchObject({ timezone: 'Asia/Tokyo' });
    expect(await call(tools.getLocation, { city: 'Tokyo' })).toMatchObject({
      province: 'Tokyo',
      latitude: 35.69,
      longitude: 139.75,
    });
  });

  it('fail with MISSING_INFO for a city that is not there', async () => {
    await expect(call(tools.getPopulation, { city: 'Atlantis' })).rejects.toMatchObject({
      code: 'missing_info',
      retry: 'MISSING_INFO',
      message: 'the data set has no city "Atlantis"; did you mean Atlanta or Atlantic City?',
      details: { city: 'Atlantis', suggestions: ['Atlanta', 'Atlantic City'] },
    });
  });

  it('are cheap, cached reads', () => {
    for (const tool of [tools.getPopulation, tools.getTimezone, tools.getLocation]) {
      expect(tool.spec).toMatchObject({ costHint: 0.1, effect: 'read', cache: true });
    }
    expect([tools.summarizeCity.spec.costHint, tools.aggregateReport.spec.costHint]).toEqual([1, 2]);
  });

  it('hold to their schemas for every usable row of the data set', async () => {
    for (const { city, country, pop, timezone } of cityTimezones.cityMapping) {
      if (!(pop >= 1) || !timezone) continue;
      const args = { city: `${city}, ${country}` };
      for (const tool of [tools.getPopulation, tools.getTimezone, tools.getLocation]) await call(tool, args);
    }
  });
});

describe('resolveCity', () => {
  it.each([
    ['paris', 'Paris', 'France', undefined],
    ['  PARIS ', 'Paris', 'France', undefined],
    ['Paris, France', 'Paris', 'France', undefined],
    ['Paris,FRA', 'Paris', 'France', undefined],
    ['São Paulo', 'Sao Paulo', 'Brazil', undefined],
    ['Sao Paulo', 'Sao Paulo', 'Brazil', undefined],
    ['Zurich', 'Zürich', 'Switzerland', undefined],
    ['Łódź', 'Lódz', 'Poland', undefined],
    ['Washington, D.C.', 'Washington, D.C.', 'United States of America', undefined],
    ['London, Canada', 'London', 'Canada', undefined],
    ['London, gb', 'London', 'United Kingdom', undefined],
    ['London, UK', 'London', 'United Kingdom', undefined],
    ['Springfield, IL', 'Springfield', 'United States of America', undefined],
    [
      'London',
      'London',
      'United Kingdom',
      'Several places are called "London"; this is the most populous of them, in Westminster, United Kingdom.',
    ],
    [
      'Springfield',
      'Springfield',
      'United States of America',
      'Several places are called "Springfield"; this is the most populous of them, in Massachusetts, United States of America.',
    ],
    [
      'Springfield, US',
      'Springfield',
      'United States of America',
      'Several places are called "Springfield, US"; this is the most populous of them, in Massachusetts, United States of America.',
    ],
  ])('%s', (requested, name, country, note) => {
    const city = resolveCity(requested);
    expect([city.name, city.country, city.note]).toEqual([name, country, note]);
    expect(city.requested).toBe(requested);
  });

  it('takes the state that is asked for', () => {
    expect(resolveCity('Springfield, Illinois').population).toBe(125_345);
    expect(resolveCity('Springfield, Missouri, USA').population).toBe(180_691);
  });

  it.each([
    '',
    ' ',
    ',',
    'Atlantis',
    'Paris, Texas',
    '__proto__',
    'constructor',
    'Chernobyl',
    'Palmer Station',
    '東京',
  ])('does not know %j', (requested) => {
    expect(() => resolveCity(requested)).toThrow(expect.objectContaining({ retry: 'MISSING_INFO' }));
  });

  it('gives one city that stands in the data set twice without a remark', () => {
    expect(resolveCity('Bandar Lampung')).toMatchObject({ population: 881_801 });
    expect(resolveCity('Bandar Lampung').note).toBeUndefined();
  });
});

describe('cityFacts', () => {
  const fact = (requested: string, more: JsonObject): { node: string; tool: string; value: Json } => ({
    node: 'n',
    tool: 't',
    value: { requested, city: requested, country: '', ...more },
  });
  const results = [
    fact('Paris', { population: 4_957_589 }),
    fact('Paris', { timezone: 'Europe/Paris' }),
    fact('Lima', { population: 7_385_117 }),
    fact('Lima', { timezone: 'America/Lima' }),
  ];
  const report = [
    '# Paris and Lima',
    '## Paris\n4,957,589 people, Europe/Paris',
    '## 2. Lima, Peru\n7 385 117 people, America/Lima',
  ].join('\n\n');
  const inputs = { cities: ['Paris', 'Lima'] };

  it('holds where population and time zone of each city stand in its section', () => {
    expect(tools.cityFacts(report, { inputs, results })).toEqual({
      ok: true,
      message: 'population and time zone of Paris, Lima stand in their sections',
    });
  });

  it('names a fact that stands in the wrong section', () => {
    const swapped = report
      .replace('4,957,589', 'X')
      .replace('7 385 117', '4,957,589')
      .replace('X', '7,385,117');
    expect(tools.cityFacts(swapped, { inputs, results })).toEqual({
      ok: false,
      message:
        'the section of Paris lacks its population, 4957589; the section of Lima lacks its population, 7385117',
    });
  });

  it('names a fact that was never looked up, and a section that is not there', () => {
    expect(tools.cityFacts(report, { inputs, results: results.slice(0, 3) })).toEqual({
      ok: false,
      message: 'no look-up gave the time zone of Lima',
    });
    expect(tools.cityFacts(report, { inputs: { cities: ['Osaka'] }, results }).message).toBe(
      'Osaka has no section of its own',
    );
    expect(tools.cityFacts(report, { inputs: {}, results })).toEqual({
      ok: false,
      message: 'the inputs name no cities',
    });
  });

  it('never passes a report on a city that nothing is known of, however honest it is', () => {
    const check = (text: string) =>
      tools.cityFacts(`${report}\n\n## Atlantis\n${text}`, {
        inputs: { cities: ['Paris', 'Lima', 'Atlantis'] },
        results,
      });
    for (const text of ['No data was found for Atlantis.', 'About 5,000 people live there.']) {
      expect(check(text)).toEqual({
        ok: false,
        message: 'no look-up knows Atlantis: neither its population nor its time zone can stand here',
      });
    }
  });

  it('accepts a look-up that named the city otherwise', () => {
    const others = [
      fact('paris, FR', { population: 4_957_589 }),
      fact('Paris, France', { timezone: 'Europe/Paris' }),
    ];
    expect(tools.cityFacts(report, { inputs: { cities: ['Paris'] }, results: others }).ok).toBe(true);
  });
});
