import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunStore } from '../../../src/contracts/ports.ts';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { redactSecrets } from '../../../src/kernel/redact-secrets.ts';
import { FollowedFeed } from '../../../src/web/run-feed.ts';
import { RunList } from '../../../src/web/run-list.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';

const events = new FlightBuilder()
  .start({}, { runId: 'r1' })
  .plan([{ id: 'a', tool: 't' }], 'a')
  .nodeRun('a', 5)
  .finish('verified', 'fine')
  .build();

afterEach(() => vi.useRealTimers());

interface Shown {
  events: readonly FlightEvent[];
  isHeld?: boolean;
}

/** A store of which one run is read, as far as `shown` says. */
function growingStore(shown: Shown): RunStore<FlightEvent> & { reads: number } {
  const store = Object.assign(new MemoryRunStore(), { reads: 0 });
  store.read = () => {
    store.reads++;
    return Promise.resolve(shown.events);
  };
  store.isHeld = () => Promise.resolve(shown.isHeld ?? true);
  store.list = () => Promise.resolve(['r1']);
  return store;
}

/** A feed of the run; opening it is not counted as a reading. */
async function openFeed(store: ReturnType<typeof growingStore>): Promise<FollowedFeed> {
  const feed = await FollowedFeed.open(store, 'r1');
  store.reads = 0;
  return feed;
}

function listen(feed: FollowedFeed) {
  const told: string[] = [];
  const stop = feed.listen({
    onEvents: (more) => told.push(more.map(({ type }) => type).join()),
    onReset: () => told.push('reset'),
    onLeft: (isLeft) => told.push(isLeft ? 'left' : 'taken up'),
    onEnd: () => told.push('end'),
  });
  return { told, stop };
}

describe('the feed of a run that another process drives', () => {
  it('tells of what is new, and reads only while somebody listens', async () => {
    vi.useFakeTimers();
    const shown = { events: events.slice(0, 2) };
    const store = growingStore(shown);
    const feed = await openFeed(store);
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.reads).toBe(0);
    const { told, stop } = listen(feed);
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toEqual([]);
    shown.events = events.slice(0, 4);
    await vi.advanceTimersByTimeAsync(500);
    expect(told).toEqual(['node.started,node.done']);
    stop();
    const before = store.reads;
    await vi.advanceTimersByTimeAsync(5000);
    expect(store.reads).toBeLessThanOrEqual(before + 1);
  });

  it('says where the log was cut, and where it is another', async () => {
    for (const after of [events.slice(0, 1), events.map((event) => ({ ...event, at: event.at + 1 }))]) {
      const shown = { events: events.slice(0, 3) };
      const feed = await openFeed(growingStore(shown));
      const { told, stop } = listen(feed);
      shown.events = after;
      await feed.look();
      expect(told).toEqual(['reset']);
      stop();
    }
  });

  it('says when its process has died, and when another takes it up', async () => {
    const shown: Shown = { events: events.slice(0, 3) };
    const feed = await openFeed(growingStore(shown));
    expect(feed.isLeft).toBe(false);
    const { told, stop } = listen(feed);
    await feed.look();
    shown.isHeld = false;
    await feed.look();
    await feed.look();
    expect(feed.isLeft).toBe(true);
    shown.isHeld = true;
    await feed.look();
    expect(told).toEqual(['left', 'taken up']);
    stop();
  });

  it('goes on over a log that cannot be read just now', async () => {
    const shown = { events: events.slice(0, 3) };
    const store = growingStore(shown);
    const feed = await openFeed(store);
    const { told, stop } = listen(feed);
    const read = store.read.bind(store);
    store.read = () => Promise.reject(new Error('torn'));
    await feed.look();
    store.read = read;
    shown.events = events;
    await feed.look();
    expect(told).toEqual(['node.done,run.finished']);
    stop();
  });
});

describe('the list of runs', () => {
  it('shows nothing that looks like a credential, of damaged runs either', async () => {
    const key = 'AKIA' + 'ABCD1234EFGH5678';
    const goal = `Use ${key}.`;
    const started = new FlightBuilder().start({}, { runId: 'r1', goal }).build();
    const store = growingStore({ events: started });
    store.list = () => Promise.resolve(['r1', 'r0']);
    store.read = (run) =>
      run === 'r0' ? Promise.reject(new Error(`torn at ${key}`)) : Promise.resolve(started);
    expect(await new RunList(store, redactSecrets).read()).toMatchObject({
      runs: [{ goal: 'Use [redacted].' }, { name: 'torn at [redacted]' }],
    });
  });

  it('describes runs, damaged ones too, and reads what has ended no more than it must', async () => {
    vi.useFakeTimers();
    const shown: Shown = { events };
    const store = growingStore(shown);
    store.list = () => Promise.resolve(['r1', 'r0']);
    const read = store.read.bind(store);
    store.read = (run) => (run === 'r0' ? Promise.reject(new Error('its log is torn')) : read(run));
    const list = new RunList(store, redactSecrets);
    expect(await list.read()).toMatchObject({
      more: 0,
      runs: [
        {
          runId: 'r1',
          name: 'city-compare',
          status: 'verified',
          nodes: 1,
          nodesDone: 1,
          questions: 0,
          elapsedMs: 5,
        },
        { runId: 'r0', name: 'its log is torn', status: 'damaged', startedAtMs: null },
      ],
    });
    await vi.advanceTimersByTimeAsync(5000);
    await list.read();
    expect(store.reads).toBe(1);
    shown.events = events.slice(0, 2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect((await list.read()).runs[0]?.status).toBe('running');
    shown.isHeld = false;
    await vi.advanceTimersByTimeAsync(2000);
    expect((await list.read()).runs[0]?.status).toBe('unfinished');
    shown.isHeld = true;
    await vi.advanceTimersByTimeAsync(2000);
    shown.events = events;
    expect((await list.read()).runs[0]?.status).toBe('verified');
  });
});
