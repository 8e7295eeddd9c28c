/**
 * The manual clock of `sortie/testing`, which does not move on while something real, such as reading a file, is under way:
 * what takes real time takes none on this clock, and no deadline passes meanwhile.
 * @typedef {import('../../src/testing.ts').ManualClock} ManualClock
 */

/** How often the event loop turns until reactions have come to rest. */
const SETTLING_TURNS = 4;

export class PatientClock {
  /** @type {ManualClock} */
  #clock;
  /** @type {Set<{ dueMs: number }>} */
  #due = new Set();
  #held = 0;

  /** @param {ManualClock} clock */
  constructor(clock) {
    this.#clock = clock;
  }

  now() {
    return this.#clock.now();
  }

  /**
   * @param {number} delayMs
   * @param {() => void} callback
   */
  setTimer(delayMs, callback) {
    const timer = { dueMs: this.now() + Math.max(0, delayMs) };
    this.#due.add(timer);
    const cancel = this.#clock.setTimer(delayMs, () => {
      this.#due.delete(timer);
      callback();
    });
    return () => {
      this.#due.delete(timer);
      cancel();
    };
  }

  /**
   * Resolves after so many milliseconds of this clock.
   * @param {number} delayMs
   * @returns {Promise<void>}
   */
  sleep(delayMs) {
    return new Promise((resolve) => void this.setTimer(delayMs, () => void resolve()));
  }

  /**
   * Does something real while this clock stands still.
   * @template T
   * @param {() => T | Promise<T>} work
   * @returns {Promise<T>}
   */
  async hold(work) {
    this.#held += 1;
    try {
      return await work();
    } finally {
      this.#held -= 1;
    }
  }

  /**
   * Moves from timer to timer until the promise settles, and passes on its outcome.
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  async runUntil(promise) {
    const outcome = { isSettled: false };
    const note = () => {
      outcome.isSettled = true;
    };
    promise.then(note, note);
    for (;;) {
      for (let turn = 0; turn < SETTLING_TURNS; turn += 1) {
        await new Promise((resolve) => void setImmediate(resolve));
      }
      if (outcome.isSettled) return promise;
      if (this.#held > 0 || this.#due.size === 0) continue;
      const nextMs = Math.min(...[...this.#due].map(({ dueMs }) => dueMs));
      await this.#clock.advanceBy(Math.max(0, nextMs - this.now()));
    }
  }
}
