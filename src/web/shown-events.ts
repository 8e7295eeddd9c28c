import { setImmediate as rest } from 'node:timers/promises';
import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import type { RunFeed } from './run-feed.ts';

/** Takes out of a value what looks like a credential, and counts the texts that it changed. */
export type Redact = (value: Json) => { readonly value: Json; readonly changed: number };

/** So long at a time: the run that this process drives goes on in between. */
const SLICE_MS = 8;

/** The events of a feed as pages are shown them, without credentials; each is looked at once. */
export class ShownEvents {
  readonly feed: RunFeed;
  readonly #redact: Redact;
  readonly #events: FlightEvent[] = [];
  #redacted = 0;

  constructor(feed: RunFeed, redact: Redact) {
    this.feed = feed;
    this.#redact = redact;
  }

  /** Texts in which something was redacted, up to now. */
  get redacted(): number {
    return this.#redacted;
  }

  /** All events that there are by now. */
  async all(): Promise<readonly FlightEvent[]> {
    let untilMs = performance.now() + SLICE_MS;
    while (this.#events.length < this.feed.events.length) {
      this.#take();
      if (performance.now() < untilMs) continue;
      await rest();
      untilMs = performance.now() + SLICE_MS;
    }
    return this.#events;
  }

  /** Those from a sequence on, `most` at a time; fewer than there are where they are too many to look at in one go. */
  from(seq: number, most: number): readonly FlightEvent[] {
    const untilMs = performance.now() + SLICE_MS;
    const end = Math.min(seq + most, this.feed.events.length);
    while (this.#events.length < end && performance.now() < untilMs) this.#take();
    return this.#events.slice(seq, end);
  }

  #take(): void {
    const event = this.feed.events[this.#events.length];
    if (event === undefined) return;
    const { value, changed } = this.#redact(event as unknown as Json);
    this.#redacted += changed;
    this.#events.push(value as unknown as FlightEvent);
  }
}
