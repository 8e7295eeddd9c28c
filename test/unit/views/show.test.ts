import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { showRun } from '../../../src/views/show.ts';
import { PLAIN_STYLE } from '../../../src/views/style.ts';
import { textWidth } from '../../../src/views/text-width.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { measureGrowth } from '../../support/measure-growth.ts';
import { cityCompare, failedRun, replannedRun } from '../../support/flight-scenarios.ts';

describe('showRun', () => {
  it('shows a verified run whole', () => {
    expect(showRun(cityCompare(), { width: 80 }).split('\n')).toEqual([
      'city-compare  verified',
      'run      20261130-070000-000-aaaa',
      'goal     Compare the cities',
      'started  2026-11-30 07:00:00 UTC, took 393 ms',
      'nodes    3 done',
      'ending   the verdict is a pass',
      '',
      'node    tool              state  tries    start    time  args      note',
      'paris   get_population    done       1  +104 ms   26 ms  f578a4fb',
      'osaka   get_population    done       1  +104 ms   20 ms  ba436b98',
      'report  aggregate_report  done       1  +132 ms  208 ms  52900db2',
      '',
      '              ───────────────┬0──┬1─────────────────────────────────────  393 ms',
      'plan/1        ███████████████                                             100 ms',
      'paris                        ████                                         26 ms',
      'osaka                        ███                                          20 ms',
      'report                           ███████████████████████████████          208 ms',
      '  aggregator                     ██████████████████████████████           200 ms',
      'judge/1                                                         ███████   50 ms',
      '',
      'pressure of the budget: tool calls, then tokens',
      '100 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ stopped',
      ' 90 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ minimal',
      '                                                                       █',
      ' 70 % ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▄▄▄▄▄▄▄▄▄█ economy',
      '                                                              ██████████',
      '                                                              ██████████',
      '                           ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃██████████',
      '                       ▄▄▄▄█████████████████████████████████████████████',
      '                       █████████████████████████████████████████████████',
      '      ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁█████████████████████████████████████████████████',
      '  0 % ──────────────────────────────────────────────────────────────────',
      '                                                                       1',
      '    1 +391 ms   #18 the run had used 80 % of its tokens and went on in mode eco…',
      '',
      'budget          used     limit',
      'tokens           800     1,000  ████████████████░░░░  80 %',
      'model calls        3  no limit',
      'tool calls         3         6  ██████████░░░░░░░░░░  50 %',
      'time          393 ms   10.00 s  █░░░░░░░░░░░░░░░░░░░   3 %',
      'cost         unknown  no limit',
      '',
      'models           calls  tokens in  tokens out     cost',
      'role planner         1        200          50  unknown',
      'role aggregator      1        300          90  unknown',
      'role critic          1        150          10  unknown',
      'model mock-1         2        500         140  unknown',
      'model judge-1        1        150          10  unknown',
      '',
      'mode     economy (pressure 0.80, tokens)',
      'verdict  pass (judge, score 0.9)',
      '  ✓ includes Paris',
    ]);
  });

  it('shows a failed run in ASCII, with what each node lacks', () => {
    const shown = showRun(failedRun(), { width: 80, isAscii: true });
    expect(shown).toMatch(/^[\n\x20-\x7e]*$/);
    expect(shown.split('\n').slice(4, 14)).toEqual([
      'nodes    1 failed, 2 skipped',
      'ending   the output node "report" is not done',
      '',
      'node      tool              state    tries   start  time  args      note',
      'atlantis  get_population    failed       1  +12 ms  8 ms  cfcfaf3a  missing_info',
      'summary   summarize         skipped                                 needs atlan~',
      'report    aggregate_report  skipped                                 needs summa~',
      '',
      '          ----------------------------------+0---------------------------  22 ms',
      'plan/1         #############################                               10 ms',
    ]);
  });

  it('colours states, and measures as if it did not', () => {
    const mark = (name: string) => (text: string) => `\u001b[${name}]${text}\u001b[0]`;
    const style = { ...PLAIN_STYLE, green: mark('green'), red: mark('red'), dim: mark('dim') };
    const coloured = showRun(replannedRun(), { width: 80, style });
    expect(coloured).toContain('\u001b[green]done      \u001b[0]');
    expect(coloured).toContain('\u001b[dim]superseded\u001b[0]');

    expect(coloured.replace(/\u001b\[\w+\]/g, '')).toBe(showRun(replannedRun(), { width: 80 }));
  });

  it('never lets a text of a model or tool steer the terminal', () => {
    const events = new FlightBuilder()
      .start({ name: 'a\u001b[2Jb', goal: 'line\nbreak \u202ereversed' })
      .plan([{ id: 'x\u0007y', tool: 't' }], 'x\u0007y')
      .nodeRun('x\u0007y', 5)
      .finish('failed', '\u001b]0;title\u0007')
      .build();

    expect(showRun(events, { width: 80 })).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it('shows a run of which only the start is known', () => {
    expect(showRun(new FlightBuilder().start().build(), { width: 80 })).toContain('city-compare  running');
  });

  it('keeps to the width for 2,000 nodes', () => {
    const events = wideRun(2000);
    const lines = showRun(events, { width: 100 }).split('\n');
    expect(lines.length).toBeGreaterThan(4000);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(100);
    const few = showRun(events, { width: 100, maxRows: 10 }).split('\n');
    expect(few.filter((line) => line === 'and 1,990 more')).toHaveLength(2);
  });

  it('takes time in proportion to the nodes', () => {
    const prepare = (size: number) => {
      const events = wideRun(size);
      return () => showRun(events, { width: 100 });
    };
    expect(measureGrowth(prepare, { size: 200, factor: 10 })).toBeLessThan(40);
  });
});

function wideRun(size: number): FlightEvent[] {
  const ids = Array.from({ length: size }, (_, index) => `node_${index}_${'x'.repeat(index % 40)}`);
  const builder = new FlightBuilder().start();
  builder.plan(
    ids.map((id) => ({ id, tool: 'a_tool_with_a_long_name' })),
    ids[0] ?? '',
  );
  for (const id of ids) builder.nodeRun(id, 1);
  return builder.build();
}
