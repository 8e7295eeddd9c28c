const MICROSECONDS_PER_MS = 1000;
const MICROSECONDS_PER_SECOND = 1_000_000;

/** The time in whole microseconds; spans lie on this grid, so that none gets longer than its parent by rounding. */
export function toMicroseconds(timeMs: number): number {
  return Math.round(timeMs * MICROSECONDS_PER_MS);
}

/** The time on the grid of whole microseconds, in milliseconds. */
export function onGrid(timeMs: number): number {
  return toMicroseconds(timeMs) / MICROSECONDS_PER_MS;
}

/** Whole seconds, and the nanoseconds beyond them. */
export function toHrTime(timeMs: number): [number, number] {
  const microseconds = toMicroseconds(timeMs);
  const seconds = Math.floor(microseconds / MICROSECONDS_PER_SECOND);
  return [seconds, (microseconds - seconds * MICROSECONDS_PER_SECOND) * 1000];
}

/** The time in nanoseconds, as OTLP has it in JSON: a text, since no number holds it. */
export function toNanosecondsText(timeMs: number): string {
  return `${String(toMicroseconds(timeMs))}000`;
}
