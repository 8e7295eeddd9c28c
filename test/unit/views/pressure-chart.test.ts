import { describe, expect, it } from 'vitest';
import { renderPressure } from '../../../src/views/pressure-chart.ts';
import { showRun } from '../../../src/views/show.ts';
import { textWidth } from '../../../src/views/text-width.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { largeShowcase } from '../../support/large-showcase.ts';
import { measureGrowth } from '../../support/measure-growth.ts';
import { smallShowcase } from '../../support/small-showcase.ts';

/** A run that made one of ten tool calls after the other, each at another tenth of its time. */
function steadyRun(calls: number): FlightBuilder {
  const run = new FlightBuilder().start({ budget: { toolCalls: 10 } });
  const ids = Array.from({ length: calls }, (_, index) => `n${index}`);
  run.plan(
    ids.map((id) => ({ id, tool: 't' })),
    'n0',
  );
  for (const id of ids) run.nodeRun(id, 1000);
  return run;
}

describe('the pressure of a run in characters', () => {
  it('rises with what is spent, step by step', () => {
    const lines = renderPressure(steadyRun(10).build(), { width: 54 });
    expect(lines).toEqual([
      'pressure of the budget: tool calls',
      '100 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌█ stopped',
      ' 90 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌████ minimal',
      '                                      ████████',
      ' 70 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌████████████ economy',
      '                              ████████████████',
      '                          ████████████████████',
      '                      ████████████████████████',
      '                  ████████████████████████████',
      '              ████████████████████████████████',
      '          ████████████████████████████████████',
      '  0 % ────────────────────────────────────────',
    ]);
  });

  it('numbers the decisions that changed the mode, where they were taken, and names them all', () => {
    const lines = renderPressure(smallShowcase(), { width: 100 });
    expect(lines[0]).toBe('pressure of the budget: tokens, then tool calls');
    const [marks = ''] = lines.slice(12);
    const [first = '', second = ''] = lines.slice(13).filter((line) => /^ {4}\d/.test(line));
    expect(marks.trim()).toMatch(/^1 +2$/);
    expect(first).toMatch(
      /^ {4}1 \+7\.20 s {3}#31 the run had used 71 % of its toolCalls and went on in mode economy$/,
    );
    expect(second).toMatch(/^ {4}2 \+12\.46 s {2}#50 .* in mode minimal$/);
    expect(lines.slice(13)).toContainEqual(expect.stringContaining('skyline was skipped: it is optional'));
    // The mark stands where the curve crosses the threshold.
    const economy = lines.find((line) => line.endsWith('economy')) ?? '';
    expect(Math.abs(economy.search(/[▁-█]/) - marks.indexOf('1'))).toBeLessThan(3);
  });

  it('hatches where a person was waited for, and leaves a gap where nothing ran', () => {
    const base = renderPressure(smallShowcase(), { width: 100 })[11];
    expect(base).toMatch(/^ {2}0 % ─+╱{3,8} {3,8}─+$/);
  });

  it('rises above a budget that was overrun', () => {
    const lines = renderPressure(steadyRun(15).build(), { width: 60 });
    expect(lines[1]).not.toContain('100 %');
    expect(lines.some((line) => /^100 %/.test(line))).toBe(true);
  });

  it('is left out where there is no limit, and where nothing was spent', () => {
    const spend = (run: FlightBuilder) => run.plan([{ id: 'a', tool: 't' }], 'a').nodeRun('a', 0);
    const unlimited = spend(new FlightBuilder().start({ budget: {} })).build();
    const started = unlimited[0];
    if (started?.type === 'run.started') {
      const { economyAt, minimalAt, finalReserve } = started.task.budget;
      const none = { ...started, task: { ...started.task, budget: { economyAt, minimalAt, finalReserve } } };
      expect(renderPressure([none, ...unlimited.slice(1)], { width: 80 })).toEqual([]);
    }
    expect(renderPressure(new FlightBuilder().start().build(), { width: 80 })).toEqual([]);
  });

  it.each([40, 80, 200])('keeps to %i columns at 10 and at 2 000 nodes, in ASCII too', (width) => {
    for (const events of [smallShowcase(), largeShowcase(2000)]) {
      const lines = renderPressure(events, { width });
      expect(lines.length).toBeGreaterThan(11);
      for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      expect(renderPressure(events, { width, isAscii: true }).join('')).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  it('names no more decisions than are wanted', () => {
    const run = steadyRun(8);
    for (let index = 0; index < 50; index++) run.add('node.skipped', { node: 'n0', reason: 'pressure' });
    const lines = renderPressure(run.build(), { width: 80, maxDecisions: 5 });
    expect(lines.at(-1)).toBe('    and 45 more');
    expect(lines.filter((line) => line.includes('was skipped'))).toHaveLength(5);
  });

  it('takes time in proportion to the events', () => {
    const prepare = (size: number) => {
      const events = largeShowcase(size);
      return () => renderPressure(events, { width: 100 });
    };
    expect(measureGrowth(prepare, { size: 200, factor: 10 })).toBeLessThan(40);
  });
});

describe('a run on a terminal', () => {
  it('shows of 2 000 nodes those that need attention, on a few screens', () => {
    const lines = showRun(largeShowcase(2000), { width: 100, maxRows: 40 }).split('\n');
    expect(lines.length).toBeLessThan(140);
    expect(lines.filter((line) => /missing_info$/.test(line)).length).toBeGreaterThan(20);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(100);
  });

  it('tells working from waiting and from standing still', () => {
    expect(showRun(smallShowcase(), { width: 100 }).split('\n').slice(3, 6)).toEqual([
      'started  2026-11-30 07:00:00 UTC, worked 12.46 s',
      'waited   14 h 18 min for a person',
      'stood    1 min 35 s, no process ran it',
    ]);
  });
});
