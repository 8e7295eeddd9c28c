import type { TraceCarrier } from '../contracts/tool.ts';
import type { RunTracing } from '../engine/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { RunState } from '../run/state.ts';
import { hasHostTracing } from '../tracer/host-registry.ts';
import { isTelemetryOff } from '../tracer/otlp-target.ts';
import { parseTraceparent } from '../tracer/span-ids.ts';
import { openSegment, type TraceSegment, traceparentOf } from '../tracer/span-segment.ts';
import type { DriveOptions } from './run-options.ts';

/** What is traced while a run is driven. */
export interface RunTrace extends RunTracing {
  /** Takes note of an event. */
  follow(event: FlightEvent, state: RunState): void;
  /** Calls code of an effect so that what it does is traced below the effect. */
  within<T>(effectKey: string, call: () => T): T;
  /** Hands over the spans, where somebody takes them; never throws. */
  end(): void;
}

interface TracedRun {
  readonly runId: string;
  readonly agent: string;
  /** The events that were there before. */
  readonly before: readonly FlightEvent[];
}

/**
 * The trace that a run is a part of: the one of the variable TRACEPARENT, or its own. In a host that has a tracer
 * provider of its own, spans and figures go there while the run goes on; else they are built from the log afterwards.
 */
export async function openRunTrace(
  options: Pick<DriveOptions, 'env' | 'captureContent'>,
  run: TracedRun,
): Promise<RunTrace> {
  const env = options.env ?? {};
  const caller = callerOf(env);
  if (isTelemetryOff(options.env ?? process.env)) return passOn(caller);
  const segment = openSegment({ runId: run.runId, traceparent: caller?.traceparent, ...placeOf(run) });
  if (!hasHostTracing()) return followLog(segment, caller);
  const { HostTrace } = await import('../tracer/host-trace.ts');
  const { captureContent = false } = options;
  return HostTrace.open({ ...run, segment, captureContent, ...(caller === undefined ? {} : { caller }) });
}

/** The caller's trace context, where the environment holds a valid one. */
function callerOf(env: NonNullable<DriveOptions['env']>): TraceCarrier | undefined {
  const traceparent = env['TRACEPARENT']?.trim();
  if (traceparent === undefined || parseTraceparent(traceparent) === null) return undefined;
  const tracestate = env['TRACESTATE']?.trim();
  return { traceparent, ...(tracestate ? { tracestate } : {}) };
}

/** A fork begins a trace of its own; a resumption goes on from a place in the log of the same run. */
function placeOf({ runId, before }: TracedRun): { resumedAt?: number } {
  const origin = before.findLast((event) => event.type === 'run.started' || event.type === 'run.forked');
  return origin?.runId === runId ? { resumedAt: (before.at(-1)?.seq ?? 0) + 1 } : {};
}

/** What W3C asks of who takes no part: the caller's context goes through as it came. */
function passOn(caller: TraceCarrier | undefined): RunTrace {
  return { ...withoutHost(caller), of: () => caller };
}

function followLog(segment: TraceSegment, caller: TraceCarrier | undefined): RunTrace {
  const state = caller?.tracestate === undefined ? {} : { tracestate: caller.tracestate };
  return {
    ...withoutHost(caller),
    of: (effectKey) => ({ traceparent: traceparentOf(segment, effectKey), ...state }),
  };
}

function withoutHost(caller: TraceCarrier | undefined): Omit<RunTrace, 'of'> {
  return {
    ...(caller === undefined ? {} : { traceparent: caller.traceparent }),
    follow: () => undefined,
    within: (_, call) => call(),
    end: () => undefined,
  };
}
