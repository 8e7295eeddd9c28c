import type { ReplayReport } from '../engine/replay.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { ExportOptions, ExportResult } from '../tracer/otlp-connection.ts';
import type { ReplayTimes } from '../tracer/span-replay.ts';

/** Sends the span of a replay, marked as one and linked to its run; never throws, and takes no longer than its time limit. */
export async function exportReplay(
  events: readonly FlightEvent[],
  report: ReplayReport,
  { startMs, endMs, ...options }: ExportOptions & ReplayTimes,
): Promise<ExportResult> {
  const [{ buildReplaySpan }, { exportSpans }] = await Promise.all([
    import('../tracer/span-replay.ts'),
    import('../tracer/otel.ts'),
  ]);
  return exportSpans(buildReplaySpan(events, report, { startMs, endMs }), options);
}
