/*
 * The two clocks of a run. It works while a call is under way or while it does something of its own; it waits while
 * nothing is under way and a person is asked. When no process runs it and nobody is asked it does neither.
 * Times are milliseconds of real time since the run began.
 */
import type { FlightEvent } from '../../flight/events.ts';
import { isHandedOn } from '../../run/crew-state.ts';
import { OpenQuestions } from './open-questions.ts';

/** What a run did in a span of time. */
export type ClockKind = 'work' | 'wait' | 'down';

/** A span of time in which a run did one thing; `shownFrom` and `shownTo` are where the page draws it, in [0, 1]. */
export interface ClockSpan {
  readonly kind: ClockKind;
  readonly fromMs: number;
  readonly toMs: number;
  readonly shownFrom: number;
  readonly shownTo: number;
}

/** The clocks of a run, and how its time is laid out: waits are drawn no wider than a small part of the work. */
export interface RunClock {
  readonly spans: readonly ClockSpan[];
  readonly workMs: number;
  readonly waitMs: number;
  readonly downMs: number;
  readonly endMs: number;
}

/** A wait is drawn at most this wide, as a part of all work. */
const WAIT_SHARE = 0.08;

interface OpenSpan {
  kind: ClockKind;
  fromMs: number;
  toMs: number;
}

/** Reads the clocks off a log; `nowMs` (epoch) is given where the run goes on. */
export function readClock(events: readonly FlightEvent[], nowMs?: number): RunClock {
  const startMs = events[0]?.at ?? 0;
  const sweep = new Sweep();
  const spans: OpenSpan[] = [];
  const add = (kind: ClockKind, fromMs: number, toMs: number): void => {
    if (toMs <= fromMs) return;
    const last = spans.at(-1);
    if (last?.kind === kind) last.toMs = toMs;
    else spans.push({ kind, fromMs, toMs });
  };
  let beforeMs = startMs;
  for (const event of events) {
    add(sweep.kindBefore(event), beforeMs - startMs, event.at - startMs);
    beforeMs = Math.max(beforeMs, event.at);
    sweep.read(event);
  }
  if (nowMs !== undefined) add(sweep.kind(), beforeMs - startMs, nowMs - startMs);
  return layOut(spans);
}

/** Whether a call of its own begins with an event: what is handed to an agent is the calls that the agent makes. */
function isBeginning(event: FlightEvent): boolean {
  if (event.type === 'node.started') return event.agent === undefined;
  if (event.type === 'call.started') return !isHandedOn(event.tool);
  return event.type === 'model.requested' || event.type === 'check.called';
}

const ENDINGS: ReadonlySet<string> = new Set([
  ...['node.done', 'attempt.failed', 'node.cancelled', 'model.answered', 'model.failed', 'check.returned'],
  ...['call.returned', 'call.failed', 'call.amended'],
]);

function callOf(event: FlightEvent): string {
  return 'key' in event ? `key ${event.key ?? ''}` : 'node' in event ? `node ${event.node}` : '';
}

class Sweep {
  readonly #calls = new Set<string>();
  readonly #questions = new OpenQuestions();
  #isAlive = true;

  kind(): ClockKind {
    if (this.#isAlive && (this.#calls.size > 0 || this.#questions.size === 0)) return 'work';
    return this.#questions.size > 0 ? 'wait' : 'down';
  }

  /** What the time before an event was: a process that takes a run up was not there before. */
  kindBefore(event: FlightEvent): ClockKind {
    const isTakenUp = event.type === 'run.resumed' || event.type === 'run.forked';
    const isAtRest = 'atRest' in event && event.atRest === true;
    if (isTakenUp || isAtRest) this.#stop();
    return this.kind();
  }

  read(event: FlightEvent): void {
    const { type } = event;
    this.#questions.read(event);
    if (isBeginning(event)) this.#calls.add(callOf(event));
    else if (ENDINGS.has(type)) this.#calls.delete(callOf(event));
    else if (type === 'run.interrupted' || type === 'run.finished') this.#stop();
    else if (type === 'run.resumed' || type === 'run.forked') this.#isAlive = true;
  }

  #stop(): void {
    this.#isAlive = false;
    this.#calls.clear();
  }
}

function layOut(spans: readonly OpenSpan[]): RunClock {
  const sums = { work: 0, wait: 0, down: 0 };
  for (const { kind, fromMs, toMs } of spans) sums[kind] += toMs - fromMs;
  const widest = sums.work > 0 ? sums.work * WAIT_SHARE : Infinity;
  const widths = spans.map(({ kind, fromMs, toMs }) =>
    kind === 'work' ? toMs - fromMs : Math.min(toMs - fromMs, widest),
  );
  const total = widths.reduce((sum, width) => sum + width, 0);
  let at = 0;
  const shown = spans.map((span, index): ClockSpan => {
    const from = at;
    at += total > 0 ? (widths[index] ?? 0) / total : 0;
    return { ...span, shownFrom: from, shownTo: at };
  });
  return {
    spans: shown,
    workMs: sums.work,
    waitMs: sums.wait,
    downMs: sums.down,
    endMs: spans.at(-1)?.toMs ?? 0,
  };
}

/** The index of the span that a moment lies in, or of the nearest; 0 where there is none. */
export function spanIndexAt({ spans }: Pick<RunClock, 'spans'>, ms: number): number {
  let [low, high] = [0, spans.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.toMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a moment is drawn, in [0, 1]. */
export function placeOf({ spans }: RunClock, ms: number): number {
  const span = spans[spanIndexAt({ spans }, ms)];
  if (span === undefined) return 0;
  const share = Math.min(1, Math.max(0, (ms - span.fromMs) / (span.toMs - span.fromMs)));
  return span.shownFrom + share * (span.shownTo - span.shownFrom);
}

/** Moments for an axis of about so many marks: round ones of the time that the run worked, with that time. */
export function axisMarks(clock: RunClock, count: number): { workMs: number; place: number }[] {
  const step = roundStep(clock.workMs / Math.max(1, count));
  const marks: { workMs: number; place: number }[] = [];
  let workedMs = 0;
  for (const { kind, fromMs, toMs, shownFrom, shownTo } of clock.spans) {
    if (kind !== 'work') continue;
    const lengthMs = toMs - fromMs;
    for (let next = Math.ceil(workedMs / step) * step; next < workedMs + lengthMs; next += step) {
      if (marks.at(-1)?.workMs === next) continue;
      const share = (next - workedMs) / lengthMs;
      marks.push({ workMs: next, place: shownFrom + share * (shownTo - shownFrom) });
    }
    workedMs += lengthMs;
  }
  return marks;
}

const ROUND_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000],
  ...[300_000, 600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
];

function roundStep(ms: number): number {
  return ROUND_MS.find((step) => step >= ms) ?? Math.ceil(ms / 86_400_000) * 86_400_000;
}
