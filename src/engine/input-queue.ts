import type { EventPayload } from '../flight/events.ts';
import type { RunState } from '../run/state.ts';

/** Inputs that follow from the state at the time when they are folded; none where it no longer wants them. */
export type LateInput = (state: RunState) => readonly EventPayload[];

/** What a run was told and has not folded yet, in order. */
export class InputQueue {
  readonly #inputs: (EventPayload | LateInput)[] = [];
  #next = 0;

  push(input: EventPayload | LateInput): void {
    this.#inputs.push(input);
  }

  /** The next input, made from the state where it is a late one; undefined where none waits. */
  take(state: RunState): EventPayload | undefined {
    for (;;) {
      const input = this.#inputs[this.#next];
      if (input === undefined) return undefined;
      if (this.#inputs.length === 1) {
        // The usual case; taking the last one out costs less than emptying the list.
        this.#inputs.pop();
      } else if (++this.#next === this.#inputs.length) {
        this.#inputs.length = 0;
        this.#next = 0;
      }
      if (typeof input !== 'function') return input;
      this.#inputs.splice(this.#next, 0, ...input(state));
    }
  }
}
