/*
 * Hands finished spans to an OpenTelemetry collector (OTLP over HTTP). Nothing of OpenTelemetry is loaded before there
 * is something to send. Exporting is a courtesy: it never throws, and it lets go of the process when its time is up.
 */
import type { Agent } from 'node:http';
import type * as Sdk from '@opentelemetry/sdk-node';
import { readOtlpTarget, resourceAttributes, type Environment, type OtlpTarget } from './otlp-target.ts';
import type { Span } from './span.ts';

/** Where spans go, and how long that may take. */
export interface ExportOptions {
  /** Base URL of the collector; goes before the environment. */
  readonly url?: string;
  /** The environment that holds the OTEL_* variables. */
  readonly env: Environment;
  /** Milliseconds after which the export is given up, whatever the collector does. */
  readonly timeoutMs?: number;
}

/** What came of an export: how many spans were taken, or why they were not. */
export type ExportResult =
  { readonly ok: true; readonly count: number } | { readonly ok: false; readonly reason: string };

const SPANS_PER_REQUEST = 2000;
const SCOPE = { name: 'sortie' };

type Resource = Sdk.resources.Resource;
type ReadableSpan = Sdk.tracing.ReadableSpan;

/** Sends spans to the collector that the options or the environment name; never throws, never outlasts `timeoutMs`. */
export async function exportSpans(
  spans: readonly Span[],
  { url, env, timeoutMs = 2000 }: ExportOptions,
): Promise<ExportResult> {
  const target = readOtlpTarget(env, url);
  if (target.kind === 'off') return { ok: true, count: 0 };
  if (target.kind === 'invalid') return { ok: false, reason: target.reason };
  const deadline = startDeadline(timeoutMs, target.url);
  try {
    const connection = await Promise.race([openConnection(target, env, timeoutMs), deadline.passed]);
    if ('ok' in connection) return connection;
    try {
      return await Promise.race([send(spans, connection), deadline.passed]);
    } finally {
      connection.close();
    }
  } catch (error) {
    return { ok: false, reason: `cannot export to ${target.url}: ${describe(error)}` };
  } finally {
    deadline.stop();
  }
}

interface Deadline {
  readonly passed: Promise<ExportResult>;
  stop(): void;
}

function startDeadline(timeoutMs: number, url: string): Deadline {
  let timer: NodeJS.Timeout | undefined;
  const passed = new Promise<ExportResult>((resolve) => {
    timer = setTimeout(
      () => resolve({ ok: false, reason: `${url} did not answer within ${timeoutMs} ms` }),
      timeoutMs,
    );
  });
  return { passed, stop: () => clearTimeout(timer) };
}

interface Connection {
  readonly sdk: typeof Sdk;
  readonly exporter: Sdk.tracing.SpanExporter;
  readonly resource: Resource;
  readonly url: string;
  /** Ends what is still under way, so that nothing keeps the process alive. */
  close(): void;
}

async function openConnection(target: OtlpTarget, env: Environment, timeoutMs: number): Promise<Connection> {
  const [sdk, { OTLPTraceExporter }, { Agent: AgentOfProtocol }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    target.protocol === 'http/json'
      ? import('@opentelemetry/exporter-trace-otlp-http')
      : import('@opentelemetry/exporter-trace-otlp-proto'),
    target.url.startsWith('https:') ? import('node:https') : import('node:http'),
  ]);
  // An agent of our own can be destroyed; that of the exporter would wait for a collector that never answers.
  const agent: Agent = new AgentOfProtocol({ ...target.tls, keepAlive: true });
  const exporter = new OTLPTraceExporter({
    url: target.url,
    timeoutMillis: timeoutMs,
    httpAgentOptions: () => agent,
  });
  const resource = sdk.resources.resourceFromAttributes(resourceAttributes(env));
  return { sdk, exporter, resource, url: target.url, close: () => agent.destroy() };
}

async function send(spans: readonly Span[], connection: Connection): Promise<ExportResult> {
  for (let from = 0; from < spans.length; from += SPANS_PER_REQUEST) {
    const error = await sendBatch(spans.slice(from, from + SPANS_PER_REQUEST), connection);
    if (error !== null) {
      return { ok: false, reason: `${connection.url} did not take the spans: ${describe(error)}` };
    }
  }
  return { ok: true, count: spans.length };
}

function sendBatch(spans: readonly Span[], { sdk, exporter, resource }: Connection): Promise<unknown> {
  const batch = spans.map((span) => toReadableSpan(span, sdk.api, resource));
  return new Promise((resolve) => {
    exporter.export(batch, ({ code, error }) =>
      resolve(code === sdk.core.ExportResultCode.SUCCESS ? null : (error ?? 'unknown error')),
    );
  });
}

function toReadableSpan(span: Span, api: typeof Sdk.api, resource: Resource): ReadableSpan {
  const contextOf = (traceId: string, spanId: string): Sdk.api.SpanContext => ({
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
    attributes: toOtelAttributes(span.attributes),
    links: span.links.map((link) => ({
      context: contextOf(link.traceId, link.spanId),
      attributes: toOtelAttributes(link.attributes),
    })),
    events: span.events.map((event) => ({
      name: event.name,
      time: toHrTime(event.atMs),
      attributes: toOtelAttributes(event.attributes),
    })),
    ended: true,
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: span.droppedEvents,
    droppedLinksCount: 0,
  };
}

/** Seconds and nanoseconds of a time in milliseconds with fractions. */
function toHrTime(timeMs: number): [number, number] {
  const seconds = Math.floor(timeMs / 1000);
  const nanoseconds = Math.round((timeMs - seconds * 1000) * 1e6);
  return nanoseconds >= 1e9 ? [seconds + 1, 0] : [seconds, nanoseconds];
}

function toOtelAttributes(attributes: Span['attributes']): Sdk.api.Attributes {
  return attributes as Sdk.api.Attributes;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, code, data } = error as Error & { code?: unknown; data?: unknown };
  const parts = [
    typeof code === 'number' || (typeof code === 'string' && !message.includes(code)) ? String(code) : '',
    message || error.name,
    typeof data === 'string' && data !== '' ? `(${data.slice(0, 200)})` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}
