import type { Clock } from '../contracts/ports.ts';

/** Something with a deadline. */
export interface Expiring {
  /** Epoch milliseconds at which `expire` is called. */
  deadlineAt: number;
  expire(now: number): void;
}

/** Keeps one timer, for the earliest of many deadlines. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #open = new Set<Expiring>();
  #cancelTimer: (() => void) | null = null;
  #armedAt = Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches an entry until it is removed; `expire` may set a later deadline, else it is called no more. */
  add(entry: Expiring): void {
    this.#open.add(entry);
    this.#arm(entry.deadlineAt);
  }

  /** Watches an entry no more; the timer is left as it is, since the next deadline is mostly a later one. */
  remove(entry: Expiring): void {
    this.#open.delete(entry);
  }

  /** Lets go of the timer. */
  close(): void {
    this.#open.clear();
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#armedAt = Infinity;
  }

  #arm(at: number): void {
    if (at >= this.#armedAt || at === Infinity) return;
    this.#cancelTimer?.();
    this.#armedAt = at;
    // A timer may fire a little early, so it is set to the next whole millisecond.
    this.#cancelTimer = this.#clock.setTimer(Math.max(0, Math.ceil(at - this.#clock.now())), this.#fire);
  }

  readonly #fire = (): void => {
    this.#cancelTimer = null;
    this.#armedAt = Infinity;
    const now = this.#clock.now();
    let earliest = Infinity;
    for (const entry of this.#open) {
      if (entry.deadlineAt <= now) {
        entry.deadlineAt = Infinity;
        entry.expire(now);
      }
      if (this.#open.has(entry)) earliest = Math.min(earliest, entry.deadlineAt);
    }
    this.#arm(earliest);
  };
}
