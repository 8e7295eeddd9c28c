import type { Clock, Random } from '../contracts/ports.ts';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Read once: it costs more than the time itself. */
const { timeOrigin } = performance;

/** The time of the machine: the wall clock when the process started, and monotonic from then on. */
export const systemClock: Clock = {
  now: () => timeOrigin + performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Randomness of the machine. */
export const systemRandom: Random = { draw: () => Math.random() };
