import type { Meter } from '@opentelemetry/api';
import type { core as Core, metrics as Metrics } from '@opentelemetry/sdk-node';
import type { Measurement } from './measures.ts';
import {
  type ExportOptions,
  type ExportResult,
  exportWithin,
  type OtlpConnection,
} from './otlp-connection.ts';
import { resourceAttributes } from './otlp-target.ts';
import { INSTRUMENT, type InstrumentName } from './semconv.ts';

/** Sends figures to the collector that the options or the environment name; never throws, never outlasts `timeoutMs`. */
export function exportMetrics(
  measurements: readonly Measurement[],
  options: ExportOptions,
): Promise<ExportResult> {
  return exportWithin('metrics', options, async (connection) => {
    const [{ core, metrics, resources }, exporter] = await Promise.all([
      import('@opentelemetry/sdk-node'),
      createExporter(connection),
    ]);
    /** Reads once, when it is told to. */
    class OneReading extends metrics.MetricReader {
      protected override onForceFlush(): Promise<void> {
        return Promise.resolve();
      }
      protected override onShutdown(): Promise<void> {
        return Promise.resolve();
      }
    }
    const reader = new OneReading({
      aggregationTemporalitySelector: (type) => exporter.selectAggregationTemporality?.(type) ?? 0,
    });
    const resource = resources.resourceFromAttributes(resourceAttributes(options.env));
    const provider = new metrics.MeterProvider({ resource, readers: [reader] });
    recordMeasurements(provider.getMeter('sortie'), measurements);
    const { resourceMetrics } = await reader.collect();
    if (connection.isOver()) return { count: 0 };
    const { code, error } = await new Promise<Core.ExportResult>((resolve) => {
      exporter.export(resourceMetrics, resolve);
    });
    if (code !== core.ExportResultCode.SUCCESS) return error ?? new Error('unknown error');
    return { count: measurements.length };
  });
}

async function createExporter({ target, exporter }: OtlpConnection): Promise<Metrics.PushMetricExporter> {
  const { OTLPMetricExporter } =
    target.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return new OTLPMetricExporter(exporter);
}

/** Records figures with whatever meter there is: that of an export, or the host's. */
export function recordMeasurements(meter: Meter, measurements: readonly Measurement[]): void {
  const recorders = new Map<InstrumentName, (value: number, attributes: Measurement['attributes']) => void>();
  for (const { instrument, value, attributes } of measurements) {
    const record = recorders.get(instrument) ?? createRecorder(meter, instrument);
    recorders.set(instrument, record);
    record(value, attributes);
  }
}

function createRecorder(meter: Meter, instrument: InstrumentName): RecordFigure {
  const { name, kind, unit, description, buckets } = { buckets: undefined, ...INSTRUMENT[instrument] };
  if (kind === 'counter') {
    const counter = meter.createCounter(name, { unit, description });
    return (value, attributes) => counter.add(value, attributesOf(attributes));
  }
  const advice = buckets === undefined ? {} : { advice: { explicitBucketBoundaries: [...buckets] } };
  const recorder =
    kind === 'histogram'
      ? meter.createHistogram(name, { unit, description, ...advice })
      : meter.createGauge(name, { unit, description });
  return (value, attributes) => recorder.record(value, attributesOf(attributes));
}

type RecordFigure = (value: number, attributes: Measurement['attributes']) => void;

function attributesOf(attributes: Measurement['attributes']): Record<string, string | number | boolean> {
  return attributes as Record<string, string | number | boolean>;
}
