import type { Clock, FlightLog } from '../../src/contracts/ports.ts';
import type { FlightEvent } from '../../src/flight/events.ts';

interface Waiter {
  readonly seq: number;
  readonly resolve: () => void;
}

/** A log in memory that takes time to sync, so that a crash loses what was not synced, or only a part of it. */
export class SimulatedLog implements FlightLog<FlightEvent> {
  readonly events: FlightEvent[];
  durableSeq: number;
  readonly #clock: Clock;
  readonly #draw: () => number;
  #waiters: Waiter[] = [];
  #isSyncing = false;

  constructor(events: readonly FlightEvent[], clock: Clock, draw: () => number) {
    this.events = [...events];
    this.durableSeq = events.length - 1;
    this.#clock = clock;
    this.#draw = draw;
  }

  append(event: FlightEvent): void {
    if (event.seq !== this.events.length)
      throw new Error(`event ${event.seq} after ${this.events.length - 1}`);
    this.events.push(event);
    this.#sync();
  }

  whenDurable(seq: number): Promise<void> {
    if (seq <= this.durableSeq) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ seq, resolve }));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** What a crash leaves: all that is durable, and as much of the rest as the draw says. */
  crash(draw: number): FlightEvent[] {
    const durable = this.durableSeq + 1;
    return this.events.slice(0, durable + Math.floor(draw * (this.events.length - durable + 1)));
  }

  #sync(): void {
    if (this.#isSyncing) return;
    this.#isSyncing = true;
    this.#clock.setTimer(this.#draw() * 3, () => {
      const last = this.events.length - 1;
      this.#clock.setTimer(this.#draw() * 3, () => {
        this.durableSeq = last;
        this.#isSyncing = false;
        if (this.events.length - 1 > last) this.#sync();
        const due = this.#waiters.filter(({ seq }) => seq <= last);
        this.#waiters = this.#waiters.filter(({ seq }) => seq > last);
        for (const { resolve } of due) resolve();
      });
    });
  }
}
