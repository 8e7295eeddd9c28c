import type { FlightEvent } from '../flight/events.ts';
import type { Environment } from '../tracer/otlp-target.ts';
import { type ExportContents, spansOfRun } from './export-run.ts';

/** The files that a trace can be written as: for OTLP tools, for Jaeger's upload, for Perfetto. */
export const TRACE_FORMATS = ['otlp-json', 'jaeger-json', 'chrome'] as const;

/** A format that a trace can be written in. */
export type TraceFormat = (typeof TRACE_FORMATS)[number];

interface FormatOptions extends ExportContents {
  readonly format: TraceFormat;
  /** Names the service and its attributes, by the OTEL_* variables. */
  readonly env: Environment;
}

/** The spans of a run as a text in one of the formats. */
export async function formatTrace(
  events: readonly FlightEvent[],
  { format, env, ...contents }: FormatOptions,
): Promise<string> {
  const { resourceAttributes } = await import('../tracer/otlp-target.ts');
  const spans = await spansOfRun(events, contents);
  const write = await loadWriter(format);
  return JSON.stringify(write(spans, resourceAttributes(env)));
}

type Writer = (spans: Awaited<ReturnType<typeof spansOfRun>>, resource: Record<string, string>) => object;

async function loadWriter(format: TraceFormat): Promise<Writer> {
  switch (format) {
    case 'otlp-json':
      return (await import('../tracer/otlp-json.ts')).toOtlpJson;
    case 'jaeger-json':
      return (await import('../tracer/jaeger-json.ts')).toJaegerJson;
    case 'chrome':
      return (await import('../tracer/chrome-trace.ts')).toChromeTrace;
  }
}
