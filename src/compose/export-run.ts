import { setTimeout as delay } from 'node:timers/promises';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import type { ExportOptions, ExportResult } from '../tracer/otlp-connection.ts';
import { hasHostTracing } from '../tracer/host-registry.ts';
import { parseTraceparent } from '../tracer/span-ids.ts';
import { redactSpan } from '../tracer/span-redaction.ts';
import type { Span } from '../tracer/span.ts';

/** What of a run is exported. */
export interface ExportContents {
  /** Whether goal, prompts, answers, arguments and results go along; what looks like a credential never does. */
  readonly captureContent?: boolean;
  /** Only what the last process did: what was done before a resumption has been exported then. */
  readonly lastProcessOnly?: boolean;
}

/** What of a run is exported, and where to. */
export interface ExportRunOptions extends ExportOptions, ExportContents {
  /** Figures (durations, tokens, states of nodes, pressure) beside the spans; true by default. */
  readonly metrics?: boolean;
}

/** How much earlier spans are sent than figures, at most. */
const SPANS_HEAD_MS = 500;

/** Answers of a collector that takes spans alone. */
const NO_METRICS_HERE: ReadonlySet<number> = new Set([404, 405, 415, 501]);

/** Sends the spans and figures of a run to an OTLP collector; never throws, and takes no longer than its time limit. */
export async function exportRun(
  events: readonly FlightEvent[],
  options: ExportRunOptions,
): Promise<ExportResult> {
  // A host with a provider has its spans already; and where the caller does not record, their parent would be missing.
  if (options.url === undefined && (hasHostTracing() || !isSampled(events))) return { ok: true, count: 0 };
  const { isTelemetryWanted } = await import('../tracer/otlp-target.ts');
  if (!isTelemetryWanted(options.env, options.url)) return { ok: true, count: 0 };
  const timed = { ...options, beganAtMs: options.beganAtMs ?? performance.now() };
  const sending = sendSpans(events, timed).catch(toRefusal);
  // What figures need takes long to load; the spans are to be on their way by then.
  const measuring = sendMetrics(events, timed, sending).catch(toRefusal);
  const [spans, metrics] = await Promise.all([sending, measuring]);
  if (!spans.ok || metrics.ok || NO_METRICS_HERE.has(metrics.status ?? 0)) return spans;
  return { ...metrics, count: spans.count };
}

/** A log that cannot be read as a run is no reason for whoever exports it to fail. */
function toRefusal(thrown: unknown): ExportResult {
  return { ok: false, reason: thrown instanceof Error ? thrown.message : String(thrown) };
}

async function sendSpans(events: readonly FlightEvent[], options: ExportRunOptions): Promise<ExportResult> {
  const [spans, { exportSpans }] = await Promise.all([
    spansOfRun(events, options),
    import('../tracer/otel.ts'),
  ]);
  return exportSpans(spans, options);
}

async function sendMetrics(
  events: readonly FlightEvent[],
  options: ExportRunOptions,
  spans: Promise<unknown>,
): Promise<ExportResult> {
  if (options.metrics === false) return { ok: true, count: 0 };
  const head = new AbortController();
  await Promise.race([
    spans,
    delay(SPANS_HEAD_MS, undefined, { signal: head.signal }).catch(() => undefined),
  ]);
  head.abort();
  const [{ measureRun }, { exportMetrics }] = await Promise.all([
    import('../tracer/measures.ts'),
    import('../tracer/otel-metrics.ts'),
  ]);
  return exportMetrics(measureRun(events), options);
}

/** The spans of a run, without anything that looks like a credential. */
export async function spansOfRun(
  events: readonly FlightEvent[],
  { captureContent = false, lastProcessOnly = false }: ExportContents,
): Promise<readonly Span[]> {
  const [{ buildSpans }, { recomputeEffects }] = await Promise.all([
    import('../tracer/spans.ts'),
    import('../tracer/span-effects.ts'),
  ]);
  const effects = captureContent ? { effects: recomputeEffects(events) } : {};
  const spans = buildSpans(events, { captureContent, isLastSegmentOnly: lastProcessOnly, ...effects });
  return captureContent ? spans.map(redactSpan) : spans;
}

type SegmentBegin = EventOf<'run.started'> | EventOf<'run.resumed'> | EventOf<'run.forked'>;

function isSampled(events: readonly FlightEvent[]): boolean {
  const begin = events.findLast(
    (event): event is SegmentBegin =>
      event.type === 'run.started' || event.type === 'run.resumed' || event.type === 'run.forked',
  );
  const parent = begin?.traceparent === undefined ? null : parseTraceparent(begin.traceparent);
  return parent?.isSampled ?? true;
}
