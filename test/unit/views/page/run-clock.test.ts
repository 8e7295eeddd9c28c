import { describe, expect, it } from 'vitest';
import { axisMarks, placeOf, readClock } from '../../../../src/views/page/run-clock.ts';
import { sha256 } from '../../../../src/kernel/hash.ts';
import { FlightBuilder, LOG_START_MS } from '../../../support/flight-builder.ts';

const HOUR_MS = 3_600_000;

const ask = (run: FlightBuilder, node: string): FlightBuilder =>
  run.add('approval.requested', {
    ...{ node, question: 'consent', tool: 'send', args: {} },
    ...{ argsHash: sha256(node), plan: sha256('plan 1') },
  });

const decide = (run: FlightBuilder, node: string, atRest = false): FlightBuilder =>
  run.add('approval.decided', {
    ...{ node, argsHash: sha256(node), decision: 'approved', by: 'mara', ...(atRest ? { atRest } : {}) },
  });

const begin = (): FlightBuilder =>
  new FlightBuilder().start().plan(
    [
      { id: 'look', tool: 'look' },
      { id: 'send', tool: 'send' },
    ],
    'send',
  );

describe('the clocks of a run', () => {
  it('counts as work what a run does while a person is asked', () => {
    const run = ask(begin().wait(10).nodeStart('look'), 'send').wait(100).nodeDone('look').wait(HOUR_MS);
    const clock = readClock(decide(run, 'send').nodeRun('send', 50).build());
    expect(clock).toMatchObject({ workMs: 160, waitMs: HOUR_MS, downMs: 0 });
    expect(clock.spans.map(({ kind }) => kind)).toEqual(['work', 'wait', 'work']);
  });

  it('goes on waiting while no process runs the run', () => {
    const run = ask(begin().nodeRun('look', 100), 'send').finish('waiting', 'a node waits').wait(HOUR_MS);
    decide(run, 'send', true).wait(2 * HOUR_MS);
    const clock = readClock(run.add('run.resumed', { rules: 1 }).nodeRun('send', 50).build());
    expect(clock).toMatchObject({ workMs: 150, waitMs: HOUR_MS, downMs: 2 * HOUR_MS });
  });

  it('neither works nor waits between a crash and the resumption', () => {
    const run = begin().nodeStart('look').wait(40).nodeStart('send').wait(HOUR_MS);
    const clock = readClock(run.add('run.resumed', { rules: 1 }).wait(7).finish('failed', 'no').build());
    expect(clock).toMatchObject({ workMs: 47, waitMs: 0, downMs: HOUR_MS });
  });

  it('goes on up to now where the run does', () => {
    const events = begin().nodeStart('look').build();
    expect(readClock(events, LOG_START_MS + 500)).toMatchObject({ workMs: 500, endMs: 500 });
    expect(readClock(events)).toMatchObject({ workMs: 0, endMs: 0 });
  });

  it('draws a wait no wider than a small part of the work, and every moment in its order', () => {
    const run = ask(begin().nodeRun('look', 1000), 'send').wait(HOUR_MS);
    const clock = readClock(decide(run, 'send').nodeRun('send', 1000).build());
    const places = [0, 500, 1000, 1000 + HOUR_MS / 2, 1000 + HOUR_MS, 2000 + HOUR_MS].map((ms) =>
      placeOf(clock, ms),
    );
    expect(places[0]).toBe(0);
    expect(places.at(-1)).toBe(1);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect((places[4] ?? 0) - (places[2] ?? 0)).toBeCloseTo(0.08 / 1.08, 5);
  });

  it('marks its axis with round times of work, none of them within a wait', () => {
    const run = ask(begin().nodeRun('look', 1500), 'send').wait(HOUR_MS);
    const clock = readClock(decide(run, 'send').nodeRun('send', 1500).build());
    const marks = axisMarks(clock, 6);
    expect(marks.map(({ workMs }) => workMs)).toEqual([0, 500, 1000, 1500, 2000, 2500]);
    const wait = clock.spans.find(({ kind }) => kind === 'wait');
    for (const { place } of marks) {
      expect(place <= (wait?.shownFrom ?? 0) || place >= (wait?.shownTo ?? 1)).toBe(true);
    }
  });
});
