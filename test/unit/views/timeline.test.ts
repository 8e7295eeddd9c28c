import { describe, expect, it } from 'vitest';
import { renderTimeline } from '../../../src/views/timeline.ts';
import { textWidth } from '../../../src/views/text-width.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { largeShowcase } from '../../support/large-showcase.ts';
import { smallShowcase } from '../../support/small-showcase.ts';
import { replannedRun, resumedRun, retriedRun } from '../../support/flight-scenarios.ts';

describe('renderTimeline', () => {
  it('draws attempts that were made again lighter than the last', () => {
    expect(renderTimeline(retriedRun(), { width: 60 })).toEqual([
      '        ───────────────┬0──────────────────  662 ms',
      'plan/1  ░            ██                      300 ms, 2 tries',
      'paris                  ░     ░           ██  360 ms, 3 tries',
    ]);
  });

  it('marks what failed for good', () => {
    const rows = renderTimeline(replannedRun(), { width: 60, isAscii: true });
    expect(rows[3]).toBe('atlantis           xxxxx                              15 ms');
  });

  it('gives downtime little room and no length, and marks where another process took over', () => {
    expect(renderTimeline(resumedRun(), { width: 60 })).toEqual([
      '              ─────────────────  ┊──────────  105 ms',
      'plan/1        ███                             10 ms',
      'paris            ▒▒▒▒▒▒▒▒▒▒▒▒▒   ███████████  93 ms, 2 tries',
      'report           ▒▒▒▒▒▒▒▒▒▒▒▒▒▒  ████████     83 ms, 2 tries',
      '  aggregator       ▒▒▒▒▒▒▒▒▒▒▒▒               43 ms',
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

describe('a timeline in which a person was waited for', () => {
  it('hatches the wait, gives it little room, and counts it apart from the work', () => {
    const lines = renderTimeline(smallShowcase(), { width: 100 });
    expect(lines).toContainEqual(expect.stringMatching(/^publish +╱+ +█+ {2}740 ms, waited 14 h 18 min$/));
    expect(lines[0]).toMatch(/^ +─+╱+ +┊─+ {2}12\.46 s$/);
    expect(lines[0]?.match(/╱/g)?.length).toBeLessThan(8);
    expect(lines.at(-1)).toBe('░ tried again   ▓ failed   ╱ waits for a person');
  });

  it('has items and model calls below their node, each try a bar', () => {
    const lines = renderTimeline(smallShowcase(), { width: 100 });
    const place = (label: string): number => lines.findIndex((line) => line.startsWith(label));
    expect(place('  population[1]')).toBe(place('population') + 2);
    expect(lines[place('  population[1]')]).toMatch(/░+ +█+ +2\.59 s, 2 tries$/);
    expect(lines[place('report') + 1]).toMatch(/^ {2}writer +░+ +█+ +3\.97 s, 2 tries$/);
  });

  it.each([40, 80, 200])('keeps to %i columns, wide characters too', (width) => {
    const wide = new FlightBuilder()
      .start()
      .plan([{ id: '東京の人口を調べて比較する', tool: '検索' }], '東京の人口を調べて比較する');
    for (const events of [smallShowcase(), wide.nodeRun('東京の人口を調べて比較する', 5).build()]) {
      for (const line of renderTimeline(events, { width }))
        expect(textWidth(line)).toBeLessThanOrEqual(Math.max(width, 60));
    }
  });
});

describe('a timeline with more rows than are wanted', () => {
  const events = largeShowcase(2000);
  const lines = renderTimeline(events, { width: 100, maxRows: 20 });

  it('shows what failed or was tried again, and of the others how many of each tool ran when', () => {
    const rows = lines.slice(1, 21);
    for (const row of rows) expect(row).toMatch(/[▓░]/);
    expect(lines.length).toBeLessThan(32);
    const density = lines.find((line) => / × fetch_page/.test(line));
    expect(density).toMatch(/^\d+ × fetch_page +[▁▂▃▄▅▆▇█ ]+$/);
    const counts = lines.flatMap((line) => /^([\d,]+) × /.exec(line)?.[1] ?? []);
    const hidden = /^and ([\d,]+) more$/.exec(lines.at(-1) ?? '')?.[1];
    const sum = counts.reduce((total, count) => total + Number(count.replace(',', '')), 0);
    expect(sum).toBe(Number(hidden?.replace(',', '')));
    expect(sum + 20).toBe(
      renderTimeline(events, { width: 100 }).filter((line) => /^(\w|plan\/)/.test(line)).length,
    );
  });
});
