import { toNanosecondsText } from './span-time.ts';
import type { Attributes, AttributeValue, Span } from './span.ts';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** Spans as OTLP has them in JSON, with the attributes of the resource that they belong to. */
export function toOtlpJson(spans: readonly Span[], resource: Attributes): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [{ scope: { name: 'sortie' }, spans: spans.map(toOtlpSpan) }],
      },
    ],
  };
}

function toOtlpSpan(span: Span): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId === undefined ? {} : { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: span.kind === 'client' ? 3 : 1,
    startTimeUnixNano: toNanosecondsText(span.startMs),
    endTimeUnixNano: toNanosecondsText(span.endMs),
    attributes: toKeyValues(span.attributes),
    events: span.events.map(({ name, atMs, attributes }) => ({
      ...{ timeUnixNano: toNanosecondsText(atMs), name, attributes: toKeyValues(attributes) },
    })),
    droppedEventsCount: span.droppedEvents,
    links: span.links.map(({ traceId, spanId, attributes }) => ({
      ...{ traceId, spanId, attributes: toKeyValues(attributes) },
    })),
    status: span.status.code === 'error' ? { code: 2, message: span.status.message } : {},
  };
}

function toKeyValues(attributes: Attributes): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));
}

function toAnyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value !== 'number') return { arrayValue: { values: value.map(toAnyValue) } };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
