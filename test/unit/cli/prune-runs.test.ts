import { describe, expect, it } from 'vitest';
import { pruneRuns } from '../../../src/cli/prune-runs.ts';
import { describeRuns } from '../../../src/cli/run-list.ts';
import type { FlightEvent, RunStore } from '../../../src/index.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { cityCompare } from '../../support/flight-scenarios.ts';
import { atTerminal, recordIo } from './support.ts';

const DAY_MS = 86_400_000;

/** A store of runs that began so many days ago, newest first; null is a run whose log cannot be read. */
function storeOf(ages: Readonly<Record<string, number | null>>, locked: readonly string[] = []) {
  const removed: string[] = [];
  const store: Pick<RunStore<FlightEvent>, 'list' | 'derive' | 'isHeld' | 'remove'> = {
    list: () => Promise.resolve(Object.keys(ages)),
    derive: (run, _name, from) => {
      const days = ages[run];
      if (days === null || days === undefined)
        return Promise.reject(new OrchestratorError('log_corrupt', 'torn'));
      const events = cityCompare().map((event) => ({ ...event, at: Date.now() - days * DAY_MS }));
      return Promise.resolve(from(events));
    },
    isHeld: () => Promise.resolve(false),
    remove: (run) => {
      if (locked.includes(run))
        return Promise.reject(new OrchestratorError('run_locked', 'held by process 7'));
      removed.push(run);
      return Promise.resolve();
    },
  };
  return { store: store as RunStore<FlightEvent>, removed };
}

const AGES = { new: 1, middle: 20, old: 40, older: 80 };

describe('a run in the list', () => {
  it('that goes on from another began when it was forked, not when its origin did', async () => {
    const before = cityCompare().slice(0, 5);
    const at = (before[0]?.at ?? 0) + DAY_MS;
    const forked = { type: 'run.forked', seq: 5, at } as FlightEvent;
    const store = {
      derive: (_run: string, _name: string, from: (events: readonly FlightEvent[]) => unknown) =>
        Promise.resolve(from([...before, forked])),
      isHeld: () => Promise.resolve(false),
    } as unknown as RunStore<FlightEvent>;
    expect(await describeRuns(store, ['fork'])).toMatchObject([
      { runId: 'fork', status: 'unfinished', startedAt: new Date(at).toISOString() },
    ]);
  });
});

describe('pruning', () => {
  it.each([
    [{ keep: 2, olderThanMs: null }, ['old', 'older']],
    [{ keep: 0, olderThanMs: 30 * DAY_MS }, ['old', 'older']],
    [{ keep: 3, olderThanMs: 30 * DAY_MS }, ['older']],
    [{ keep: 9, olderThanMs: null }, []],
  ])('removes what both conditions choose: %j', async (options, expected) => {
    const { store, removed } = storeOf(AGES);
    expect(await pruneRuns(store, { ...options, isSure: true }, recordIo())).toBe(0);
    expect(removed).toEqual(expected);
  });

  it('asks first and takes only a yes for one', async () => {
    for (const [answer, expected] of [
      ['y\n', 4],
      ['yes\n', 4],
      ['\n', 0],
      ['no\n', 0],
      ['', 0],
    ] as const) {
      const { store, removed } = storeOf(AGES);
      const io = atTerminal(answer);
      await pruneRuns(store, { keep: 0, olderThanMs: null, isSure: false }, io);
      expect(removed).toHaveLength(expected);
      expect(io.written.stderr).toContain('Remove 4 runs? [y/N]');
    }
  });

  it('keeps a run that is being written, says so, and removes the others', async () => {
    const { store, removed } = storeOf(AGES, ['old']);
    const io = recordIo();
    expect(await pruneRuns(store, { keep: 0, olderThanMs: 30 * DAY_MS, isSure: true }, io)).toBe(1);
    expect(removed).toEqual(['older']);
    expect(io.written.stderr).toContain('kept old: held by process 7');
  });

  it('does not take a damaged run for an old one', async () => {
    const { store, removed } = storeOf({ damaged: null, old: 40 });
    await pruneRuns(store, { keep: 0, olderThanMs: 30 * DAY_MS, isSure: true }, recordIo());
    expect(removed).toEqual(['old']);
  });
});
