import type { Clock } from '../contracts/ports.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** How many turns of the event loop a reaction may take before time moves on. */
const SETTLING_TURNS = 4;

/**
 * A clock that stands still until it is told to move: it jumps from timer to timer, and lets whatever a timer set off
 * come to rest before the next one fires.
 */
export class ManualClock implements Clock {
  // In the order of setting, which decides between timers of one due time.
  readonly #timers = new Set<Timer>();
  #nowMs: number;

  /** Starts at `startMs` (epoch milliseconds). */
  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  setTimer(delayMs: number, callback: () => void): () => void {
    const timer = { dueMs: this.#nowMs + Math.max(0, delayMs), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  /** Moves time by `durationMs`, firing what falls due on the way in the order of due time, then of setting. */
  async advanceBy(durationMs: number): Promise<void> {
    const endMs = this.#nowMs + durationMs;
    await settle();
    for (let timer = this.#next(); timer !== undefined && timer.dueMs <= endMs; timer = this.#next()) {
      await this.#fire(timer);
    }
    this.#nowMs = endMs;
  }

  /** Fires timer after timer until none is left. */
  async runUntilIdle(): Promise<void> {
    await settle();
    for (let timer = this.#next(); timer !== undefined; timer = this.#next()) await this.#fire(timer);
  }

  /** Fires timer after timer until the promise settles, and passes on its outcome; waits where no timer is left. */
  async runUntil<T>(promise: Promise<T>): Promise<T> {
    const outcome = { isSettled: false };
    const note = (): void => {
      outcome.isSettled = true;
    };
    promise.then(note, note);
    await settle();
    while (!outcome.isSettled) {
      const timer = this.#next();
      await (timer === undefined ? settle() : this.#fire(timer));
    }
    return promise;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (next === undefined || timer.dueMs < next.dueMs) next = timer;
    }
    return next;
  }

  async #fire(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#nowMs = Math.max(this.#nowMs, timer.dueMs);
    timer.callback();
    await settle();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLING_TURNS; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
