import { describe, expect, it } from 'vitest';
import { AnswerTails } from '../../../src/cli/progress/answer-tails.ts';
import { NodeTimes } from '../../../src/cli/progress/node-times.ts';
import { renderFrame } from '../../../src/cli/progress/progress-frame.ts';
import { createStyle } from '../../../src/cli/style.ts';
import { textWidth } from '../../../src/views/text-width.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { evolve, foldEvents } from '../../../src/run/evolve.ts';
import type { RunState } from '../../../src/run/state.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { largeShowcase } from '../../support/large-showcase.ts';
import { treeRun } from '../../support/tree-run.ts';

const plain = createStyle({ write: () => true }, {});
const BUSY = { code: 'tool_transient', class: 'TRANSIENT', message: 'the register answered 503' } as const;

function frameOf(events: readonly FlightEvent[], columns = 80, rows = 24, now?: number): string[] {
  const state = foldEvents(events);
  const times = new NodeTimes();
  for (const event of events) times.follow(event);
  return renderFrame(state, {
    ...{ style: plain, columns, rows, now: now ?? events.at(-1)?.at ?? 0, startedAt: events[0]?.at ?? 0 },
    ...{ times, tails: new AnswerTails(), isInterrupting: false },
  });
}

const treeOf = (...frame: Parameters<typeof frameOf>): string[] => frameOf(...frame).slice(4);

/** The run up to the first event that fits. */
function runUntil(isLast: (event: FlightEvent) => boolean): FlightEvent[] {
  const events = treeRun();
  return events.slice(0, events.findIndex(isLast) + 1);
}

describe('the tree of a run', () => {
  it('has the levels of the plan, their nodes, the items of a node, with states, attempts and times', () => {
    const events = runUntil(({ type }) => type === 'retry.scheduled');
    expect(treeOf(events, 90)).toEqual([
      '  ├─ ✓ level 0  2 done',
      '  │  ├─ ✓ cities list_cities 0.7s',
      '  │  └─ ✓ rates get_rates 0.4s',
      expect.stringMatching(/^ {2}├─ [⠋-⠿] level 1 {2}3 running$/),
      expect.stringMatching(
        /^ {2}│ {2}├─ [⠋-⠿] population get_population {2}1 done · 2 running · 1 retrying$/,
      ),
      '  │  │  ├─ ✓ population[0] get_population 0.6s',
      '  │  │  ├─ ↻ population[1] get_population attempt 1 failed, again in 0.9s: the statistic…',
      expect.stringMatching(/^ {2}│ {2}│ {2}├─ [⠋-⠿] population\[2\] get_population 0\.8s$/),
      expect.stringMatching(/^ {2}│ {2}│ {2}└─ [⠋-⠿] population\[3\] get_population 0\.8s$/),
      expect.stringMatching(/^ {2}│ {2}├─ [⠋-⠿] rents get_rents 0\.8s$/),
      expect.stringMatching(/^ {2}│ {2}└─ [⠋-⠿] rainfall get_rainfall 0\.8s$/),
      '  ├─ ○ level 2  2 pending',
      '  │  ├─ ○ skyline get_rents',
      '  │  └─ ○ report get_rents',
      '  └─ ○ level 3  1 pending',
      '     └─ ○ publish get_rents',
    ]);
  });

  it('shows the second attempt, a failure with its reason, and what a pressed budget skipped', () => {
    const tree = treeOf(
      runUntil(({ type }) => type === 'node.skipped'),
      100,
      40,
    );
    expect(tree).toContainEqual(expect.stringMatching(/✓ population\[1\] get_population attempt 2 1\.4s$/));
    expect(tree).toContainEqual(expect.stringMatching(/✕ rainfall get_rainfall no rainfall before 1990$/));
    expect(tree).toContainEqual(expect.stringMatching(/− skyline get_rents$/));
  });

  it('shows a model call below the node that asks, with its tries and when it is made again', () => {
    const events = runUntil(
      ({ type, ...event }) => type === 'retry.scheduled' && 'key' in event && event.key === 'report/1/1',
    );
    expect(treeOf(events, 100, 40)).toContainEqual(
      expect.stringMatching(/└─ ↻ writer writer-small · again in 0\.5s overloaded$/),
    );
    const next = runUntil((event) => event.type === 'model.requested' && event.key === 'report/1/1#2');
    expect(treeOf(next, 100, 40)).toContainEqual(
      expect.stringMatching(/└─ [⠋-⠿] writer writer-small try 2 0\.0s$/),
    );
  });

  it('marks what waits for a person, at the node and at its level', () => {
    const tree = treeOf(
      runUntil(({ type }) => type === 'approval.requested'),
      100,
      40,
    );
    expect(tree).toContain('  └─ ‖ level 3  1 waiting');
    expect(tree).toContain('     └─ ‖ publish get_rents waits for a person');
  });

  it('folds what is done and says what is hidden where the terminal is low', () => {
    const run = new FlightBuilder().start({ concurrency: 50 }).catalogue('t');
    run.plan(
      Array.from({ length: 40 }, (_, index) => ({ id: `n${index}`, tool: 't' })),
      'n39',
    );
    for (let index = 0; index < 6; index++) run.nodeStart(`n${index}`);
    for (let index = 0; index < 3; index++) run.nodeDone(`n${index}`, 1);
    const events = run.attemptFailed('n4', BUSY).build();
    const tree = treeOf(events, 80, 14);
    expect(tree).toEqual([
      expect.stringMatching(/level 0 {2}3 done · 2 running · 1 retrying · 34 pending$/),
      expect.stringMatching(/├─ [⠋-⠿] n3 t 0\.0s$/),
      expect.stringMatching(/├─ ↻ n4 t attempt 1 failed, to be tried again/),
      expect.stringMatching(/├─ [⠋-⠿] n5 t 0\.0s$/),
      '     ├─ ○ n6 t',
      '     ├─ ○ n7 t',
      '     └─ … 35 more: 3 done, 32 pending',
    ]);
  });

  it('folds neighbouring levels of which nothing is shown into one line', () => {
    const run = new FlightBuilder().start().catalogue('t');
    run.plan(
      Array.from({ length: 60 }, (_, index) => ({
        id: `n${index}`,
        tool: 't',
        deps: index === 0 ? [] : [`n${index - 1}`],
      })),
      'n59',
    );
    for (let index = 0; index < 30; index++) run.nodeStart(`n${index}`).nodeDone(`n${index}`, 1);
    const tree = treeOf(run.nodeStart('n30').build(), 80, 9);
    expect(tree).toEqual([
      '  ├─ ✓ levels 0–29  30 done',
      expect.stringMatching(/├─ [⠋-⠿] level 30 {2}1 running$/),
      expect.stringMatching(/└─ [⠋-⠿] n30 t 0\.0s$/),
      '  └─ ○ levels 31–59  29 pending',
    ]);
  });

  it('keeps what a person has to do in sight however many nodes there are', () => {
    const run = new FlightBuilder().start({ concurrency: 500 }).catalogue('t');
    run.plan(
      Array.from({ length: 2000 }, (_, index) => ({ id: `n${index}`, tool: 't' })),
      'n1999',
    );
    for (let index = 0; index < 400; index++) run.nodeStart(`n${index}`);
    run.add('approval.requested', {
      ...{ node: 'n400', question: 'consent', tool: 't', args: {} },
      ...{ argsHash: '0'.repeat(64), plan: '0'.repeat(64) },
    });
    const state = foldEvents(run.build().slice(0, -1));
    const waiting = state.nodes.get('n1998');
    if (waiting !== undefined) waiting.status = 'waiting';
    expect(frameFrom(state, 40, 10).join('\n')).toContain('‖ n1998');
  });
});

function frameFrom(state: RunState, columns: number, rows: number): string[] {
  return renderFrame(state, {
    ...{ style: plain, columns, rows, now: state.now, startedAt: state.now },
    ...{ times: new NodeTimes(), tails: new AnswerTails(), isInterrupting: false },
  });
}

describe('the pressure bar', () => {
  it('marks the thresholds in the bar and names them where there is room', () => {
    const events = runUntil(({ type }) => type === 'pressure.changed');
    const [wide, narrow] = [frameOf(events, 120)[2], frameOf(events, 40)[2]];
    expect(wide).toMatch(
      /^ {2}pressure █+┃█*░*┃░+ 75 % of toolCalls · mode economy · economy at 70 %, minimal at 90 %$/,
    );
    expect(narrow).toMatch(/^ {2}pressure █+┃░*┃░* 75 % · economy$/);
  });

  it('never cuts off the mode, however narrow the terminal is', () => {
    const events = runUntil(({ type }) => type === 'pressure.changed');
    const rows = [200, 80, 60, 50, 40, 30, 20].map((columns) => frameOf(events, columns)[2] ?? '');
    for (const row of rows) expect(row).toMatch(/[█┃░]{2,} 75 % .*economy/);
    expect(rows.map((row) => /pressure|of toolCalls|mode|economy at/.exec(row) !== null)).toEqual([
      ...[true, true, true, true, true],
      ...[false, false],
    ]);
  });

  it('says that nothing is limited where nothing is', () => {
    const events = new FlightBuilder().start({ budget: {} }).build();
    const started = events[0];
    if (started?.type === 'run.started') {
      const state = foldEvents([started]);
      for (const amount of Object.keys(state.ledger.limits) as (keyof typeof state.ledger.limits)[]) {
        state.ledger.limits[amount] = Infinity;
      }
      expect(frameFrom(state, 80, 24)[2]).toBe('  pressure no limits');
    }
  });
});

describe('a frame in a terminal', () => {
  const wide = new FlightBuilder()
    .start({ name: '都市の比較🏙️' })
    .catalogue('検索')
    .plan(
      Array.from({ length: 30 }, (_, index) => ({ id: `東京の人口を調べるノード${index}`, tool: '検索' })),
      '東京の人口を調べるノード0',
    );
  for (let index = 0; index < 5; index++) wide.nodeStart(`東京の人口を調べるノード${index}`);
  const logs: [string, readonly FlightEvent[], number][] = [
    ['ten nodes', treeRun(), 1],
    ['wide characters', wide.build(), 1],
    ['2 000 nodes', largeShowcase(2000), 397],
  ];

  describe.each([
    [80, 24],
    [40, 10],
    [200, 50],
    [20, 4],
    [9, 2],
  ])('of %i columns and %i rows', (columns, rows) => {
    it.each(logs)('is never wider nor higher than it: %s', (_, events, step) => {
      const state = foldEvents(events.slice(0, 1));
      const times = new NodeTimes();
      let highest = 0;
      for (const [index, event] of events.entries()) {
        if (index > 0) evolve(state, event);
        times.follow(event);
        if (index % step > 0) continue;
        const frame = renderFrame(state, {
          ...{ style: plain, columns, rows, now: event.at, startedAt: 0, times },
          ...{ tails: new AnswerTails(), isInterrupting: false },
        });
        highest = Math.max(highest, frame.length);
        for (const line of frame) expect(textWidth(line)).toBeLessThan(columns);
      }
      expect(highest).toBeLessThan(Math.max(rows, 2));
      // What room there is, is used: the tree is not cut for nothing.
      if (rows > 4) expect(highest).toBeGreaterThan(Math.min(rows - 4, 18));
    });
  });

  it('costs less per node at 2 000 nodes than at 200', () => {
    const costOf = (nodes: number): number => {
      const events = largeShowcase(nodes);
      const state = foldEvents(events.slice(0, Math.floor(events.length / 2)));
      const timeOf = (): number => {
        const before = performance.now();
        for (let index = 0; index < 20; index++) frameFrom(state, 80, 24);
        return performance.now() - before;
      };
      return Math.min(...Array.from({ length: 6 }, timeOf)) / nodes;
    };
    expect(costOf(2000)).toBeLessThan(costOf(200));
  });
});
