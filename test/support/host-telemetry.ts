import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { metrics } from '@opentelemetry/sdk-node';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
  metrics;

/** What a program has that traces itself. */
export interface HostTelemetry {
  /** Does something in a span of the host. */
  readonly inSpan: (name: string, work: () => Promise<unknown>) => Promise<api.SpanContext>;
  finished(): readonly ReadableSpan[];
  /** Spans by name, indented below their parents, in the order of their starts. */
  drawTree(spans: readonly ReadableSpan[]): string[];
  /** Start and end in epoch milliseconds. */
  timesOf(span: ReadableSpan | undefined): readonly number[];
  metricNames(): Promise<readonly string[]>;
  remove(): void;
}

/** Registers a provider of tracers and meters, as a program does that traces itself. */
export function installHostTelemetry(): HostTelemetry {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  api.trace.setGlobalTracerProvider(provider);
  api.metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const tracer = provider.getTracer('host');
  return {
    inSpan: (name, work) =>
      tracer.startActiveSpan(name, async (span) => {
        await work();
        span.end();
        return span.spanContext();
      }),
    finished: () => exporter.getFinishedSpans(),
    drawTree,
    timesOf: (span) => (span === undefined ? [] : [toMs(span.startTime), toMs(span.endTime)]),
    metricNames: async () => {
      await reader.forceFlush();
      const scopes = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
      return scopes.flatMap((scope) => scope.metrics.map(({ descriptor }) => descriptor.name));
    },
    remove: () => {
      api.trace.disable();
      api.context.disable();
      api.metrics.disable();
      void reader.shutdown();
    },
  };
}

function drawTree(spans: readonly ReadableSpan[]): string[] {
  const draw = (parentId: string | undefined, depth: number): string[] =>
    spans
      .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parentId)
      .toSorted((a, b) => toMs(a.startTime) - toMs(b.startTime))
      .flatMap((span) => ['  '.repeat(depth) + span.name, ...draw(span.spanContext().spanId, depth + 1)]);
  return draw(undefined, 0);
}

function toMs([seconds, nanoseconds]: api.HrTime): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
