import type { FlightLog } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { Effect } from '../run/effects.ts';

interface Held {
  readonly effect: Effect;
  readonly after: number;
}

/** Effects that wait for the event that they depend on to be durable; begun in the order in which they were decided. */
export class HeldEffects {
  readonly #log: FlightLog<FlightEvent>;
  readonly #begin: (effect: Effect) => void;
  readonly #fail: (error: unknown) => void;
  #held: Held[] = [];
  #awaited = -1;

  constructor(log: FlightLog<FlightEvent>, begin: (effect: Effect) => void, fail: (error: unknown) => void) {
    this.#log = log;
    this.#begin = begin;
    this.#fail = fail;
  }

  /** Begins an effect at once where `after` is durable, else as soon as it is. */
  take(effect: Effect, after: number): void {
    if (after <= this.#log.durableSeq) {
      this.#begin(effect);
      return;
    }
    this.#held.push({ effect, after });
    if (after > this.#awaited) this.#await(after);
  }

  /** Gives up every effect that has not begun. */
  dropAll(): readonly Effect[] {
    const dropped = this.#held.map(({ effect }) => effect);
    this.#held = [];
    return dropped;
  }

  #await(seq: number): void {
    this.#awaited = seq;
    this.#log.whenDurable(seq).then(this.#release, this.#fail);
  }

  readonly #release = (): void => {
    const { durableSeq } = this.#log;
    const held = this.#held;
    this.#held = [];
    for (const entry of held) {
      if (entry.after <= durableSeq) this.#begin(entry.effect);
      else this.#held.push(entry);
    }
  };
}
