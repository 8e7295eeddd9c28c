/* Hands finished spans to an OpenTelemetry collector. Nothing of OpenTelemetry is loaded before there is something to send. */
import type * as Api from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  type ExportOptions,
  type ExportResult,
  exportWithin,
  type OtlpConnection,
} from './otlp-connection.ts';
import { resourceAttributes } from './otlp-target.ts';
import type { Span } from './span.ts';
import { toHrTime } from './span-time.ts';

type SpanExporter = Pick<OTLPTraceExporter, 'export'>;
type ReadableSpan = Parameters<SpanExporter['export']>[0][number];

/** `ExportResultCode.SUCCESS`. */
const SUCCESS = 0;
const SPANS_PER_REQUEST = 2000;
/** Collectors take 4 MiB and more. */
const CHARACTERS_PER_REQUEST = 2 * 1024 * 1024;
const SCOPE = { name: 'sortie' };

/** Sends spans to the collector that the options or the environment name; never throws, never outlasts `timeoutMs`. */
export function exportSpans(spans: readonly Span[], options: ExportOptions): Promise<ExportResult> {
  return exportWithin('traces', options, async (connection) => {
    const [api, exporter] = await Promise.all([import('@opentelemetry/api'), createExporter(connection)]);
    const resource = toResource(options.env);
    for (const batch of batchesOf(spans)) {
      if (connection.isOver()) break;
      const readable = batch.map((span) => toReadableSpan(span, api, resource));
      const { code, error } = await new Promise<{ code: number; error?: Error }>((resolve) => {
        exporter.export(readable, resolve);
      });
      if (code !== SUCCESS) return error ?? new Error('unknown error');
    }
    return { count: spans.length };
  });
}

async function createExporter({ target, exporter }: OtlpConnection): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    target.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter(exporter);
}

/** As much of a resource as exporters read. Those who make one load the whole SDK, for which a run would have to wait. */
function toResource(env: ExportOptions['env']): ReadableSpan['resource'] {
  return { attributes: resourceAttributes(env) } as unknown as ReadableSpan['resource'];
}

/** The spans in requests that a collector takes; one large span is a request of its own. */
function* batchesOf(spans: readonly Span[]): Iterable<readonly Span[]> {
  let batch: Span[] = [];
  let characters = 0;
  for (const span of spans) {
    const more = charactersOf(span);
    const isFull = batch.length === SPANS_PER_REQUEST || characters + more > CHARACTERS_PER_REQUEST;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(span);
    characters += more;
  }
  if (batch.length > 0) yield batch;
}

function charactersOf({ attributes, events }: Span): number {
  let characters = 0;
  for (const holder of [{ attributes }, ...events]) {
    for (const value of Object.values(holder.attributes)) {
      characters += typeof value === 'string' ? value.length : 16;
    }
  }
  return characters;
}

function toReadableSpan(span: Span, api: typeof Api, resource: ReadableSpan['resource']): ReadableSpan {
  const contextOf = (traceId: string, spanId: string): Api.SpanContext => ({
    ...{ traceId, spanId, traceFlags: api.TraceFlags.SAMPLED },
  });
  const context = contextOf(span.traceId, span.spanId);
  return {
    name: span.name,
    kind: span.kind === 'client' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
    spanContext: () => context,
    ...(span.parentSpanId === undefined
      ? {}
      : { parentSpanContext: contextOf(span.traceId, span.parentSpanId) }),
    startTime: toHrTime(span.startMs),
    endTime: toHrTime(span.endMs),
    duration: toHrTime(span.endMs - span.startMs),
    status:
      span.status.code === 'error'
        ? { code: api.SpanStatusCode.ERROR, message: span.status.message }
        : { code: api.SpanStatusCode.UNSET },
    attributes: span.attributes as Api.Attributes,
    links: span.links.map((link) => ({
      context: contextOf(link.traceId, link.spanId),
      attributes: link.attributes as Api.Attributes,
    })),
    events: span.events.map((event) => ({
      name: event.name,
      time: toHrTime(event.atMs),
      attributes: event.attributes as Api.Attributes,
    })),
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}
