/*
 * The trace event format of Chrome, which Perfetto and about:tracing open. Slices of one track must nest, so what runs
 * at the same time gets tracks of its own: a span stands on the track of its parent where that is free, else on the
 * first one that is.
 */
import { ATTRIBUTE } from './semconv.ts';
import { toMicroseconds } from './span-time.ts';
import type { Attributes, Span } from './span.ts';

/** One event of a trace; times in microseconds. */
export interface ChromeEvent {
  /** X is a slice, i an instant, M metadata. */
  readonly ph: 'X' | 'i' | 'M';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  /** What an instant is drawn over: its track. */
  readonly s?: 't';
  readonly args: Attributes;
}

/** A trace that Perfetto opens. */
export interface ChromeTrace {
  readonly displayTimeUnit: 'ms';
  readonly traceEvents: readonly ChromeEvent[];
}

/** Spans that are open on a track, the innermost last. */
type Track = Span[];

/** Spans as trace events, one process for each segment of the run. */
export function toChromeTrace(spans: readonly Span[], resource: Attributes): ChromeTrace {
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))];
  const traceEvents = traceIds.flatMap((traceId, index) => {
    const ofTrace = spans.filter((span) => span.traceId === traceId);
    return eventsOfTrace(ofTrace, index + 1, String(resource['service.name'] ?? ''));
  });
  return { displayTimeUnit: 'ms', traceEvents };
}

function eventsOfTrace(spans: readonly Span[], pid: number, service: string): ChromeEvent[] {
  const tracks: Track[] = [];
  const trackOf = new Map<string, number>();
  const ordered = [...spans].sort((a, b) => a.startMs - b.startMs);
  const slices = ordered.flatMap((span) => {
    const preferred = trackOf.get(span.parentSpanId ?? '');
    const tid = chooseTrack(tracks, span, preferred) + 1;
    trackOf.set(span.spanId, tid - 1);
    return [toSlice(span, pid, tid), ...toInstants(span, pid, tid)];
  });
  const [root] = spans;
  const run = String(root?.attributes[ATTRIBUTE.runId] ?? '');
  return [
    { ph: 'M', name: 'process_name', pid, tid: 0, args: { name: `${service} ${run}`.trim() } },
    ...tracks.map((_, index): ChromeEvent => {
      return { ph: 'M', name: 'thread_name', pid, tid: index + 1, args: { name: trackName(index) } };
    }),
    ...slices,
  ];
}

function chooseTrack(tracks: Track[], span: Span, preferred: number | undefined): number {
  for (const track of tracks) leaveEnded(track, span.startMs);
  const isFree = (index: number): boolean => {
    const innermost = tracks[index]?.at(-1);
    return innermost === undefined || innermost.spanId === span.parentSpanId;
  };
  const index =
    preferred !== undefined && isFree(preferred)
      ? preferred
      : tracks.findIndex((track) => track.length === 0);
  if (index >= 0) {
    tracks[index]?.push(span);
    return index;
  }
  return tracks.push([span]) - 1;
}

function leaveEnded(track: Track, nowMs: number): void {
  for (let innermost = track.at(-1); innermost !== undefined && innermost.endMs <= nowMs;) {
    track.pop();
    innermost = track.at(-1);
  }
}

function trackName(index: number): string {
  return index === 0 ? 'run' : `at the same time ${index}`;
}

function toSlice(span: Span, pid: number, tid: number): ChromeEvent {
  const ts = toMicroseconds(span.startMs);
  const failed = span.status.code === 'error' ? { 'otel.status_description': span.status.message } : {};
  return {
    ...{
      ph: 'X',
      name: span.name,
      cat: String(span.attributes[ATTRIBUTE.operationName] ?? 'span'),
      pid,
      tid,
    },
    ...{ ts, dur: toMicroseconds(span.endMs) - ts },
    args: { ...span.attributes, ...failed, span_id: span.spanId },
  };
}

function toInstants(span: Span, pid: number, tid: number): ChromeEvent[] {
  return span.events.map(({ name, atMs, attributes }) => ({
    ...{ ph: 'i', name, cat: 'event', pid, tid, ts: toMicroseconds(atMs), s: 't', args: attributes },
  }));
}
