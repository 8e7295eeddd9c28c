import { describe, expect, it } from 'vitest';
import { describeNodeDetail } from '../../../../src/views/page/node-detail.ts';
import { buildPageModel } from '../../../../src/views/page/page-model.ts';
import type { WaterfallRow } from '../../../../src/views/page/waterfall-rows.ts';
import { FlightBuilder } from '../../../support/flight-builder.ts';
import { interruptedRun } from '../../../support/flight-scenarios.ts';
import { smallShowcase } from '../../../support/small-showcase.ts';

const model = buildPageModel(smallShowcase());

function rowOf(label: string, rows: readonly WaterfallRow[] = model.waterfall.rows): WaterfallRow {
  const row = rows.find((one) => one.label === label);
  if (row === undefined) throw new Error(`no row ${label}`);
  return row;
}

describe('the rows of the waterfall', () => {
  it('stand in the order in which their work began, items and calls below their node', () => {
    expect(model.waterfall.rows.map(({ label, depth }) => [label, depth])).toEqual([
      ...[['plan/1', 0] as const, ['plan/2', 0] as const, ['cities', 0] as const, ['rates', 0] as const],
      ...[['population', 0] as const, ['population[0]', 1] as const, ['population[1]', 1] as const],
      ...[['population[2]', 1] as const, ['population[3]', 1] as const],
      ...[['rents', 0] as const, ['rainfall', 0] as const, ['rents_eur', 0] as const],
      ...[['compare', 0] as const, ['report', 0] as const, ['writer', 1] as const, ['publish', 0] as const],
    ]);
  });

  it('tell failed attempts that were made again from those that were not', () => {
    expect(rowOf('population[1]').bars.map(({ kind }) => kind)).toEqual(['again', 'done']);
    expect(rowOf('rainfall').bars.map(({ kind }) => kind)).toEqual(['failed']);
    expect(rowOf('writer').bars.map(({ kind, label }) => [kind, label])).toEqual([
      ['again', 'try 1, mock writer-small'],
      ['done', 'try 2, mock writer-small'],
    ]);
  });

  it('keep waiting for a person apart from work', () => {
    const [wait, work] = rowOf('publish').bars;
    expect(wait).toMatchObject({ kind: 'waiting', label: 'waited for a person' });
    expect((wait?.endMs ?? 0) - (wait?.startMs ?? 0)).toBe(51_480_000);
    expect((work?.endMs ?? 0) - (work?.startMs ?? 0)).toBe(740);
  });

  it('say of what was under way when its process ended that it was lost', () => {
    const { rows } = buildPageModel(interruptedRun()).waterfall;
    const kinds = rows.flatMap(({ bars }) => bars.map(({ kind }) => kind));
    expect(kinds).toContain('lost');
    expect(kinds).not.toContain('running');
  });
});

describe('a run whose process has died', () => {
  const events = smallShowcase();
  const cut = events.slice(
    0,
    events.findIndex(({ type }) => type === 'attempt.failed'),
  );

  it('is unfinished, and nothing of it is under way', () => {
    const { summary, states, waterfall } = buildPageModel(cut, undefined, true);
    expect(summary.status).toBe('unfinished');
    expect(states.running).toBeUndefined();
    const bars = waterfall.rows.flatMap((row) => row.bars.filter(({ kind }) => kind !== 'items'));
    expect(bars.map(({ kind }) => kind)).toContain('lost');
    expect(bars.every(({ endMs }) => endMs !== null)).toBe(true);
  });

  it('is told from one that goes on, and from one that has ended', () => {
    expect(buildPageModel(cut, undefined, false).summary.status).toBe('running');
    expect(buildPageModel(cut).states.running).toBeGreaterThan(0);
    expect(buildPageModel(events, undefined, true).summary.status).toBe('verified');
  });
});

describe('the graph', () => {
  it('marks the nodes that the end of the run waited for', () => {
    expect(model.graph.critical).toEqual(['cities', 'population', 'compare', 'report', 'publish']);
  });

  it('counts the items of a foreach node', () => {
    expect(model.graph.cards.find(({ id }) => id === 'population')).toMatchObject({
      items: { done: 4 },
      level: 1,
    });
  });

  it('takes the longest chain where nothing has ended', () => {
    const events = new FlightBuilder()
      .start()
      .plan(
        [
          { id: 'a', tool: 't' },
          { id: 'b', tool: 't', deps: ['a'] },
          { id: 'c', tool: 't' },
          { id: 'd', tool: 't', deps: ['c', 'b'] },
        ],
        'd',
      )
      .build();
    expect(buildPageModel(events).graph.critical).toEqual(['a', 'b', 'd']);
  });
});

describe('the pressure curve', () => {
  it('holds the dimensions that have a limit, and what was decided because of them', () => {
    const { pressure } = model;
    expect(pressure.dimensions).toEqual(['tokens', 'llmCalls', 'toolCalls', 'wallMs', 'costMicroUsd']);
    expect(pressure.points.at(-1)?.shares[2]).toBeCloseTo(13 / 14);
    expect(pressure.decisions.map(({ mode, text }) => [mode, text])).toEqual([
      ['economy', 'the run had used 71 % of its toolCalls and went on in mode economy'],
      [null, 'skyline was skipped: it is optional'],
      ['minimal', 'the run had used 93 % of its toolCalls and went on in mode minimal'],
    ]);
  });
});

describe('the latency of steps', () => {
  it('is summed up by tool and by role, the longest first', () => {
    expect(model.steps[0]).toMatchObject({
      kind: 'tool',
      name: 'get_population',
      calls: 5,
      failed: 1,
      maxMs: 1310,
    });
    expect(model.steps.find(({ name }) => name === 'planner')).toMatchObject({
      ...{ kind: 'model', calls: 2, minMs: 1780, medianMs: 1780, maxMs: 2140 },
    });
  });

  it('leaves out the time that a person was waited for', () => {
    expect(model.steps.find(({ name }) => name === 'publish_page')).toMatchObject({ calls: 1, maxMs: 740 });
  });
});

describe('the details of a node', () => {
  it('hold its arguments with what they refer to, and an item its own', () => {
    expect(describeNodeDetail(model, 'report')?.args).toEqual({
      table: { rows: 4, columns: ['people', 'rent'] },
    });
    expect(describeNodeDetail(model, 'population[2]')?.args).toEqual({ city: 'Lima' });
  });

  it('hold its result, each error once, its calls and its history', () => {
    expect(describeNodeDetail(model, 'rainfall')?.failures).toHaveLength(1);
    const report = describeNodeDetail(model, 'report');
    expect(report?.calls.map(({ key }) => key)).toEqual(['report/1/1', 'report/1/1#2']);
    expect(report?.dependents).toEqual(['publish']);
    expect(report?.history.at(-1)?.text).toMatch(/^attempt 1 gave its result/);
    expect(describeNodeDetail(model, 'nobody')).toBeNull();
  });

  it('show what a person changed', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'send', tool: 'send', args: { to: 'all' } }], 'send')
      .add('node.amended', { node: 'send', by: 'person', args: { to: 'me' }, reasons: ['fewer'] })
      .build();
    expect(describeNodeDetail(buildPageModel(events), 'send')).toMatchObject({
      args: { to: 'me' },
      amendedBy: 'person',
    });
  });
});

describe('open questions', () => {
  it('are those that nobody has answered', () => {
    expect(model.questions).toEqual([]);
    const asked = smallShowcase().filter(({ type }) => type !== 'approval.decided' && type !== 'run.resumed');
    expect(buildPageModel(asked).questions.map(({ node }) => node)).toEqual(['publish']);
  });
});
