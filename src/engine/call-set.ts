/** A call that a set holds: it knows its place there. */
export interface Placed {
  place: number;
}

/**
 * The calls under way, in no order. A map that ever more calls enter and leave is made anew time and again, and each of
 * its old tables holds on to what was in it until the next full collection of garbage; here nothing is left behind.
 */
export class CallSet<Call extends Placed> {
  readonly #calls: Call[] = [];

  add(call: Call): void {
    call.place = this.#calls.length;
    this.#calls.push(call);
  }

  /** Takes a call out; one that it does not hold is left alone. */
  delete(call: Call): void {
    const calls = this.#calls;
    if (calls[call.place] !== call) return;
    const last = calls.pop() as Call;
    if (last === call) return;
    calls[call.place] = last;
    last.place = call.place;
  }

  /** The calls as they are now: what happens to one may take it out. */
  values(): readonly Call[] {
    return [...this.#calls];
  }
}
