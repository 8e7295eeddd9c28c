import type { RunReading } from './run-reading.ts';
import { type ClockSpan, placeOf, readClock, type RunClock, spanIndexAt } from './page/run-clock.ts';

/** The time of a run on so many columns: real time, in which waits and downtime take little room. */
export interface TimeAxis {
  readonly clock: RunClock;
  readonly columns: number;
  /** The column that a moment falls into; moments are milliseconds of real time since the run began. */
  columnOf(ms: number): number;
  /** The column behind the one that a moment ends. */
  edgeOf(ms: number): number;
  /** Milliseconds that the run worked between two moments. */
  workedBetween(fromMs: number, toMs: number): number;
  /** The columns of a span of the clock. */
  columnsOf(span: ClockSpan): readonly [from: number, to: number];
}

/** Lays the time of a run out on so many columns. */
export function createTimeAxis({ events }: RunReading, columns: number): TimeAxis {
  const clock = readClock(events);
  const { spans, endMs } = clock;
  const workedBefore: number[] = [];
  let sum = 0;
  for (const { kind, fromMs, toMs } of spans) {
    workedBefore.push(sum);
    if (kind === 'work') sum += toMs - fromMs;
  }
  const workedUntil = (ms: number): number => {
    const index = spanIndexAt(clock, ms);
    const span = spans[index];
    if (span === undefined) return 0;
    const inside = Math.min(Math.max(0, ms - span.fromMs), span.toMs - span.fromMs);
    return (workedBefore[index] ?? 0) + (span.kind === 'work' ? inside : 0);
  };
  const edgeOf = (ms: number): number =>
    ms > 0 && ms >= endMs ? columns : Math.floor(placeOf(clock, ms) * columns);
  const columnOf = (ms: number): number => Math.min(columns - 1, edgeOf(ms));
  return {
    ...{ clock, columns, edgeOf, columnOf },
    workedBetween: (fromMs, toMs) => workedUntil(toMs) - workedUntil(fromMs),
    columnsOf: ({ fromMs, toMs }) => [columnOf(fromMs), Math.max(columnOf(fromMs) + 1, edgeOf(toMs))],
  };
}
