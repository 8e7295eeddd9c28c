import { toMicroseconds } from './span-time.ts';
import type { Attributes, AttributeValue, Span, SpanLink } from './span.ts';

interface JaegerTag {
  readonly key: string;
  readonly type: 'string' | 'bool' | 'int64' | 'float64';
  readonly value: string | number | boolean;
}

interface JaegerReference {
  readonly refType: 'CHILD_OF' | 'FOLLOWS_FROM';
  readonly traceID: string;
  readonly spanID: string;
}

/** One span as Jaeger's own JSON has it; times in microseconds. */
interface JaegerSpan {
  readonly traceID: string;
  readonly spanID: string;
  readonly operationName: string;
  readonly references: readonly JaegerReference[];
  readonly startTime: number;
  readonly duration: number;
  readonly tags: readonly JaegerTag[];
  readonly logs: readonly { readonly timestamp: number; readonly fields: readonly JaegerTag[] }[];
  readonly processID: string;
  readonly warnings: null;
}

/** Traces as Jaeger's query API answers with them, which is what its file upload takes. */
export interface JaegerJson {
  readonly data: readonly {
    readonly traceID: string;
    readonly spans: readonly JaegerSpan[];
    readonly processes: Readonly<
      Record<string, { readonly serviceName: string; readonly tags: readonly JaegerTag[] }>
    >;
    readonly warnings: null;
  }[];
}

const PROCESS = 'p1';
const SERVICE_NAME = 'service.name';

/** Spans as Jaeger's JSON, one trace for each segment of the run. */
export function toJaegerJson(spans: readonly Span[], resource: Attributes): JaegerJson {
  const { [SERVICE_NAME]: serviceName = '', ...rest } = resource;
  const processes = { [PROCESS]: { serviceName: String(serviceName), tags: toTags(rest) } };
  const traceIds = [...new Set(spans.map(({ traceId }) => traceId))];
  return {
    data: traceIds.map((traceID) => ({
      traceID,
      spans: spans.filter(({ traceId }) => traceId === traceID).map(toJaegerSpan),
      processes,
      warnings: null,
    })),
  };
}

function toJaegerSpan(span: Span): JaegerSpan {
  const startTime = toMicroseconds(span.startMs);
  return {
    traceID: span.traceId,
    spanID: span.spanId,
    operationName: span.name,
    references: [
      ...(span.parentSpanId === undefined
        ? []
        : [{ refType: 'CHILD_OF', traceID: span.traceId, spanID: span.parentSpanId } as const]),
      ...span.links.map(toReference),
    ],
    startTime,
    duration: toMicroseconds(span.endMs) - startTime,
    tags: [...toTags(span.attributes), ...kindAndStatus(span)],
    logs: span.events.map(({ name, atMs, attributes }) => ({
      timestamp: toMicroseconds(atMs),
      fields: [toTag('event', name), ...toTags(attributes)],
    })),
    processID: PROCESS,
    warnings: null,
  };
}

function toReference({ traceId, spanId }: SpanLink): JaegerReference {
  return { refType: 'FOLLOWS_FROM', traceID: traceId, spanID: spanId };
}

function kindAndStatus({ kind, status }: Span): JaegerTag[] {
  const tags = [toTag('span.kind', kind), toTag('otel.scope.name', 'sortie')];
  if (status.code !== 'error') return tags;
  return [
    ...tags,
    toTag('error', true),
    toTag('otel.status_code', 'ERROR'),
    toTag('otel.status_description', status.message),
  ];
}

function toTags(attributes: Attributes): JaegerTag[] {
  return Object.entries(attributes).map(([key, value]) => toTag(key, value));
}

/** Lists become JSON texts: a tag holds one value. */
function toTag(key: string, value: AttributeValue): JaegerTag {
  if (typeof value === 'string') return { key, type: 'string', value };
  if (typeof value === 'boolean') return { key, type: 'bool', value };
  if (typeof value !== 'number') return { key, type: 'string', value: JSON.stringify(value) };
  return { key, type: Number.isSafeInteger(value) ? 'int64' : 'float64', value };
}
