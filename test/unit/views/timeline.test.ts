import { describe, expect, it } from 'vitest';
import { renderTimeline } from '../../../src/views/timeline.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { replannedRun, resumedRun, retriedRun } from '../../support/flight-scenarios.ts';

describe('renderTimeline', () => {
  it('draws attempts that were made again lighter than the last', () => {
    expect(renderTimeline(retriedRun(), { width: 60 })).toEqual([
      '        ────────────────────┬0──────────────────────  662 ms',
      'plan/1  ░                ███                          300 ms',
      'paris                       ░      ░              ██  360 ms',
    ]);
  });

  it('marks what failed for good', () => {
    const rows = renderTimeline(replannedRun(), { width: 60, isAscii: true });
    expect(rows[3]).toBe('atlantis           xxxxx                              15 ms');
  });

  it('leaves downtime out, and marks where another process took over', () => {
    expect(renderTimeline(resumedRun(), { width: 60 })).toEqual([
      '        ───────────────────────────┊────────────────  105 ms',
      'plan/1  █████                                         10 ms',
      'paris        ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ █████████████████  93 ms',
      'report       ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒████████████       83 ms',
    ]);
  });

  it('writes only those levels on the axis that have room', () => {
    const builder = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .nodeStart('a');
    for (let level = 0; level < 200; level++) builder.add('level.started', { level, nodes: 1 }).wait(1);
    const [axis] = renderTimeline(builder.build(), { width: 40 });
    expect(axis).toMatch(/^ {3}┬0─┬\d+/);
    expect(axis).toHaveLength(40);
  });

  it('is empty where nothing was called', () => {
    expect(renderTimeline(new FlightBuilder().start().build(), { width: 80 })).toEqual([]);
  });

  it('bears a run that took no time', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .nodeRun('a', 0)
      .build();
    expect(renderTimeline(events, { width: 40 })[1]).toMatch(/^a {2}█ +0 ms$/);
  });
});
