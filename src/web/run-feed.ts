import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';

/** What a reader of a feed is told. */
export interface FeedListener {
  /** More events. */
  onEvents(events: readonly FlightEvent[]): void;
  /** What was told before no longer holds: the log was cut, or is another one. */
  onReset(): void;
  /** Whether a process runs it has changed. */
  onLeft(isLeft: boolean): void;
  /** Nothing more will come. */
  onEnd(): void;
}

/** The events of one run as they come. */
export interface RunFeed {
  /** Those up to now. */
  readonly events: readonly FlightEvent[];
  readonly isEnded: boolean;
  /** No process runs it. */
  readonly isLeft: boolean;
  /** Tells of what comes from now on; answers what stops it. */
  listen(listener: FeedListener): () => void;
}

/** The feed of a run that this process drives: whoever drives it pushes its events. */
export class PushedFeed implements RunFeed {
  readonly #events: FlightEvent[];
  readonly #listeners = new Set<FeedListener>();
  readonly isLeft = false;
  #isEnded = false;

  constructor(events: readonly FlightEvent[] = []) {
    this.#events = [...events];
  }

  get events(): readonly FlightEvent[] {
    return this.#events;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  push(event: FlightEvent): void {
    this.#events.push(event);
    for (const listener of this.#listeners) listener.onEvents([event]);
  }

  end(): void {
    this.#isEnded = true;
    for (const listener of this.#listeners) listener.onEnd();
  }

  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A log is looked at this often, and reading it takes a tenth of the time at most. */
const LOOK_MS = 400;
const REST_FACTOR = 10;

/** The feed of a run that another process drives: its log is read again while somebody listens. */
export class FollowedFeed implements RunFeed {
  readonly isEnded = false;
  readonly #store: RunStore<FlightEvent>;
  readonly #runId: string;
  readonly #listeners = new Set<FeedListener>();
  #events: readonly FlightEvent[];
  #isLeft: boolean;
  #timer: NodeJS.Timeout | null = null;

  private constructor(
    store: RunStore<FlightEvent>,
    runId: string,
    events: readonly FlightEvent[],
    isLeft: boolean,
  ) {
    this.#store = store;
    this.#runId = runId;
    this.#events = events;
    this.#isLeft = isLeft;
  }

  /** Begins to follow a run as it is now; throws `run_not_found`, `log_corrupt`. */
  static async open(store: RunStore<FlightEvent>, runId: string): Promise<FollowedFeed> {
    // In this order: a run that ends in between has its ending in the log.
    const isLeft = !(await store.isHeld(runId));
    return new FollowedFeed(store, runId, await store.read(runId), isLeft);
  }

  get events(): readonly FlightEvent[] {
    return this.#events;
  }

  get isLeft(): boolean {
    return this.#isLeft;
  }

  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setTimeout(() => void this.look(), LOOK_MS);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0 || this.#timer === null) return;
      clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  /** Reads the log again and tells of what is new. */
  async look(): Promise<void> {
    const beforeMs = performance.now();
    try {
      const isLeft = !(await this.#store.isHeld(this.#runId));
      this.#take(await this.#store.read(this.#runId));
      this.#takeLeft(isLeft);
    } catch {
      // A log that is being written, or was removed: what is shown stays, and it is looked at again.
    }
    const restMs = Math.max(LOOK_MS, REST_FACTOR * (performance.now() - beforeMs));
    if (this.#timer !== null) this.#timer = setTimeout(() => void this.look(), restMs);
  }

  #takeLeft(isLeft: boolean): void {
    if (isLeft === this.#isLeft) return;
    this.#isLeft = isLeft;
    for (const listener of this.#listeners) listener.onLeft(isLeft);
  }

  #take(events: readonly FlightEvent[]): void {
    const known = this.#events.length;
    const last = this.#events[known - 1];
    this.#events = events;
    if (last !== undefined && events[known - 1]?.at !== last.at) {
      for (const listener of this.#listeners) listener.onReset();
      return;
    }
    const more = events.slice(known);
    if (more.length > 0) for (const listener of this.#listeners) listener.onEvents(more);
  }
}
