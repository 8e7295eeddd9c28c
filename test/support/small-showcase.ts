/* A small log with everything in it that the run page has to show. */
import type { Failure } from '../../src/contracts/failure.ts';
import type { PlanNode } from '../../src/contracts/plan.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import type { Json } from '../../src/kernel/json.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import { attemptKey } from '../../src/run/effect-key.ts';
import { FlightBuilder } from './flight-builder.ts';

const OVERLOADED: Failure = {
  code: 'tool_transient',
  class: 'TRANSIENT',
  message: 'the statistics office answered 503: try again in a second',
  retryAfterMs: 900,
};

const NO_ARCHIVE: Failure = {
  code: 'missing_info',
  class: 'MISSING_INFO',
  message: 'no rainfall before 1990 for "Osaka"',
  details: { city: 'Osaka', from: 1875 },
};

const CITIES = ['Lisbon', 'Osaka', 'Lima', 'Nairobi'];

const SMALL_PLAN: readonly (Pick<PlanNode, 'id' | 'tool'> & Partial<PlanNode>)[] = [
  { id: 'cities', tool: 'list_cities', args: { continent: 'any', most: 4 } },
  { id: 'rates', tool: 'exchange_rates', args: { base: 'EUR', day: '2026-11-27' } },
  {
    ...{ id: 'population', tool: 'get_population', deps: ['cities'] },
    args: { city: { $item: '' } },
    foreach: { $ref: 'cities', path: '/names' },
  },
  { id: 'rents', tool: 'get_rents', args: { cities: { $ref: 'cities', path: '/names' } }, deps: ['cities'] },
  {
    ...{ id: 'rainfall', tool: 'get_rainfall', deps: ['cities'], optional: true },
    args: { cities: { $ref: 'cities', path: '/names' }, from: 1875 },
  },
  {
    id: 'rents_eur',
    tool: 'convert',
    args: { values: { $ref: 'rents' }, rates: { $ref: 'rates' } },
    deps: ['rents', 'rates'],
  },
  {
    id: 'skyline',
    tool: 'draw_skyline',
    args: { of: { $ref: 'population' } },
    deps: ['population'],
    optional: true,
  },
  {
    id: 'compare',
    tool: 'compare',
    args: { facts: [{ $ref: 'population' }, { $ref: 'rents_eur' }] },
    deps: ['population', 'rents_eur', 'rainfall'],
  },
  { id: 'report', tool: 'write_report', args: { table: { $ref: 'compare' } }, deps: ['compare', 'skyline'] },
  {
    id: 'publish',
    tool: 'publish_page',
    args: { title: 'Four cities compared', body: { $ref: 'report' } },
    deps: ['report'],
  },
];

const REPORT = `# Four cities compared

| city    | people     | rent of 60 m² |
| ------- | ---------: | ------------: |
| Lisbon  |    567 131 |       1 240 € |
| Osaka   |  2 770 520 |         610 € |
| Lima    | 10 092 000 |         480 € |
| Nairobi |  4 397 073 |         395 € |

Lima has more people than the three others together. A flat costs most where the fewest people live: in
Lisbon, twice as much as in Osaka and three times as much as in Nairobi.

## Where the figures come from

Populations are those of the last census of each city; rents are medians of November 2026, converted at the
rates of the 27th. Rainfall was left out: there is no series for Osaka before 1990.
`;

const BUDGET = {
  ...{ tokens: 20_000, toolCalls: 14, llmCalls: 8, wallSeconds: 60, costUsd: 0.25 },
  ...{ economyAt: 0.7, minimalAt: 0.9, finalReserve: 0.05 },
};

const INPUT = { type: 'object', properties: {}, additionalProperties: true } as const;

/** A run of ten nodes: a refused plan, retries, items, a failure that may be, a pressed budget, and a long wait. */
export function smallShowcase(result: Json = REPORT): FlightEvent[] {
  const run = new FlightBuilder();
  run.start(
    {
      ...{ name: 'four-cities', walk: 'eager', concurrency: 4 },
      goal: 'Compare {{cities}} large cities by people, rents and rain, and publish the comparison once I have read it.',
      budget: BUDGET,
      prices: {
        'planner-large': { inputPerMTok: 3, outputPerMTok: 15 },
        'writer-small': { inputPerMTok: 0.8, outputPerMTok: 4 },
      },
    },
    {
      runId: '20261130-070000-214-k3vd',
      goal: 'Compare four large cities by people, rents and rain, and publish the comparison once I have read it.',
    },
  );
  const tool = (name: string, description: string, effect: 'read' | 'write' | 'irreversible' = 'read') => ({
    ...{ name, description, input: INPUT, costHint: 1, effect },
  });
  run.add('catalogue.published', {
    hash: sha256('catalogue'),
    withheld: [],
    tools: [
      tool('list_cities', 'Names large cities of a continent.'),
      tool('exchange_rates', 'Rates of a day, by the European Central Bank.'),
      tool('get_population', 'People in a city by its last census.'),
      tool('get_rents', 'Median rents of cities.'),
      tool('get_rainfall', 'Monthly rainfall of cities.'),
      tool('convert', 'Converts amounts of money.'),
      tool('draw_skyline', 'Draws cities by their size.'),
      tool('compare', 'Puts facts side by side.'),
      tool('write_report', 'Writes a report of a table, with a model.'),
      {
        ...tool('publish_page', 'Publishes a page on the site. Cannot be taken back.', 'irreversible'),
        input: {
          type: 'object',
          properties: {
            title: { type: 'string', description: 'Title of the page.' },
            body: { type: 'string', description: 'Markdown.' },
          },
          required: ['title', 'body'],
          additionalProperties: false,
        },
      },
    ],
  });
  run
    .wait(3)
    .call('plan/1', 'planner', { ms: 2140, model: 'planner-large', inputTokens: 2310, outputTokens: 640 })
    .add('plan.rejected', {
      key: 'plan/1',
      problems: [
        {
          code: 'unknown_tool',
          node: 'rents',
          pointer: '/nodes/3/tool',
          message: 'there is no tool "get_rent"',
          hint: 'Did you mean "get_rents"?',
        },
      ],
    })
    .call('plan/2', 'planner', { ms: 1780, model: 'planner-large', inputTokens: 3120, outputTokens: 655 })
    .plan(SMALL_PLAN, 'publish', { key: 'plan/2' });
  run
    .wait(2)
    .nodeStart('cities')
    .nodeStart('rates')
    .wait(420)
    .nodeDone('rates', { USD: 1.09, JPY: 163.2, PEN: 4.11, KES: 141.7 });
  run.wait(260).nodeDone('cities', { names: CITIES });
  run.add('node.expanded', { node: 'population', items: 4 });
  for (const index of [0, 1]) run.nodeStart(`population[${index}]`);
  run.nodeStart('rents').nodeStart('rainfall').wait(610);
  run.nodeDone('population[0]', { city: 'Lisbon', people: 567_131 }).nodeStart('population[2]').wait(190);
  run
    .attemptFailed('population[1]', OVERLOADED)
    .add('retry.scheduled', { key: attemptKey('population[1]', 1), delayMs: 900 });
  run
    .nodeStart('population[3]')
    .wait(240)
    .attemptFailed('rainfall', NO_ARCHIVE)
    .add('node.failed', { node: 'rainfall', failure: NO_ARCHIVE });
  run.wait(300).nodeDone('population[2]', { city: 'Lima', people: 10_092_000 }).wait(360);
  run
    .nodeStart('population[1]', 2)
    .wait(170)
    .nodeDone('rents', { Lisbon: 1352, Osaka: 99_550, Lima: 1973, Nairobi: 55_970 });
  run.nodeStart('rents_eur').wait(240).nodeDone('population[3]', { city: 'Nairobi', people: 4_397_073 });
  run.wait(150).nodeDone('rents_eur', { Lisbon: 1240, Osaka: 610, Lima: 480, Nairobi: 395 });
  run
    .wait(330)
    .nodeDone('population[1]', { city: 'Osaka', people: 2_770_520 }, 2)
    .add('pressure.changed', { mode: 'economy', pressure: 10 / 14, dimension: 'toolCalls' })
    .add('node.joined', { node: 'population', digest: sha256('p') });
  run.add('node.skipped', { node: 'skyline', reason: 'pressure' });
  run.nodeRun('compare', 480, { rows: 4, columns: ['people', 'rent'] });
  run.nodeStart('report').wait(40).ask('report', 1, 1, 'writer', 'Write a report of this table.');
  run.request('report/1/1', 'writer', { node: 'report', model: 'writer-small' }).wait(820);
  run.add('model.failed', {
    key: 'report/1/1',
    failure: { code: 'model_overloaded', class: 'TRANSIENT', message: 'overloaded' },
  });
  run.add('retry.scheduled', { key: 'report/1/1', delayMs: 500 }).wait(500);
  run.call('report/1/1#2', 'writer', {
    ms: 2650,
    node: 'report',
    model: 'writer-small',
    text: REPORT,
    inputTokens: 1480,
    outputTokens: 912,
  });
  run.wait(30).nodeDone('report', result);
  run.add('approval.requested', {
    ...{ node: 'publish', question: 'consent', tool: 'publish_page' },
    args: { title: 'Four cities compared', body: result },
    ...{ argsHash: sha256('a'), plan: sha256('plan 1') },
  });
  run
    .finish('waiting', 'a node waits for approval')
    .wait(51_480_000)
    .add('approval.decided', {
      ...{ node: 'publish', argsHash: sha256('a'), decision: 'approved', by: 'mara', atRest: true },
      reason: 'Read it; the figures are right.',
    });
  run.wait(95_000).add('run.resumed', { rules: 1, attended: true, budget: BUDGET }).wait(4);
  run.nodeRun('publish', 740, { url: 'https://cities.example/four' });
  run.add('pressure.changed', { mode: 'minimal', pressure: 13 / 14, dimension: 'toolCalls' });
  run.add('verdict.reached', {
    ...{ node: 'publish', digest: sha256('publish') },
    verdict: {
      ...{ outcome: 'pass', tier: 'checks', reasons: [] },
      checks: [
        { name: 'includes Lisbon', ok: true, message: 'stands in the report as a word' },
        { name: 'includes Osaka', ok: true, message: 'stands in the report as a word' },
        { name: 'sections Where the figures come from', ok: true, message: 'has a heading that names it' },
        { name: 'minLength 400', ok: true, message: '761 characters' },
        { name: 'grounded', ok: true, message: '9 numbers, each in a result or in the goal' },
      ],
    },
  });
  return run
    .finish('verified', 'the checks hold', { output: { node: 'publish', digest: sha256('publish') } })
    .build();
}
