import type { Clock } from '../contracts/ports.ts';

/** Something with a deadline. */
export interface Expiring {
  /** Epoch milliseconds at which `expire` is called; Infinity once it was, until a later one is set. */
  deadlineAt: number;
  expire(now: number): void;
}

interface Held {
  values(): Iterable<Expiring>;
}

/** Keeps one timer, for the earliest deadline of what is under way. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #underWay: readonly Held[];
  #cancelTimer: (() => void) | null = null;
  #armedAt = Infinity;

  /** Watches over whatever these hold. */
  constructor(clock: Clock, underWay: readonly Held[]) {
    this.#clock = clock;
    this.#underWay = underWay;
  }

  /** Sees to it that something under way is called at its deadline. The next one is mostly later: then nothing is done. */
  watch(deadlineAt: number): void {
    if (deadlineAt >= this.#armedAt || deadlineAt === Infinity) return;
    this.#cancelTimer?.();
    this.#armedAt = deadlineAt;
    // A timer may fire a little early, so it is set to the next whole millisecond.
    const delayMs = Math.max(0, Math.ceil(deadlineAt - this.#clock.now()));
    this.#cancelTimer = this.#clock.setTimer(delayMs, this.#fire);
  }

  /** Lets go of the timer. */
  close(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
    this.#armedAt = Infinity;
  }

  readonly #fire = (): void => {
    this.#cancelTimer = null;
    this.#armedAt = Infinity;
    const now = this.#clock.now();
    for (const entry of this.#underWay.flatMap((calls) => [...calls.values()])) {
      if (entry.deadlineAt > now) {
        this.watch(entry.deadlineAt);
      } else {
        entry.deadlineAt = Infinity;
        // It may be over after this, or have been given a grace that it is watched for.
        entry.expire(now);
      }
    }
  };
}
