import { parseTraceparent, spanIdOf, traceIdOf } from './span-ids.ts';

/** Key of the span of a segment itself. */
export const ROOT_KEY = 'run';

/**
 * What one process did of a run: from its start, its fork or a resumption on. Each segment is a trace of its own (or a
 * part of its caller's), since the span of the process before has ended and no span outlasts its parent.
 */
export interface TraceSegment {
  readonly runId: string;
  /** Stands for the run in the hashes of its ids; another one after each resumption, as keys come again. */
  readonly id: string;
  readonly traceId: string;
  /** The caller's span that the segment hangs under. */
  readonly parentSpanId?: string;
  /** False where the caller said that it does not record. */
  readonly isSampled: boolean;
}

interface SegmentStart {
  readonly runId: string;
  /** The caller's W3C `traceparent`; one that is not valid counts as none. */
  readonly traceparent?: string | undefined;
  /** Sequence of the `run.resumed` that begins it; none for a run or fork that begins. */
  readonly resumedAt?: number;
}

/** The segment that begins so; the same at run time and when the log is read. */
export function openSegment({ runId, traceparent, resumedAt }: SegmentStart): TraceSegment {
  const id = resumedAt === undefined ? runId : `${runId}\nresumed at ${resumedAt}`;
  const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
  return {
    runId,
    id,
    traceId: traceIdOf(id, traceparent),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    isSampled: parent?.isSampled ?? true,
  };
}

/** W3C `traceparent` under which the work of an effect may be continued elsewhere, known before its span is built. */
export function traceparentOf(segment: TraceSegment, effectKey: string): string {
  return `00-${segment.traceId}-${spanIdOf(segment.id, effectKey)}-${segment.isSampled ? '01' : '00'}`;
}
