/*
 * Spans in the tracer provider of the program that a run is a part of. The ids are the host's, so a span that something
 * may be called under is started with its effect; everything else follows from the log when the run has ended.
 */
import * as api from '@opentelemetry/api';
import type { TraceCarrier } from '../contracts/tool.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { isHandedOn, ownerKey } from '../run/crew-state.ts';
import { attemptKey, tryKey } from '../run/effect-key.ts';
import type { RunState } from '../run/state.ts';
import { HandedOn } from './span-handed-on.ts';
import { measureRun } from './measures.ts';
import { recordMeasurements } from './otel-metrics.ts';
import { ATTRIBUTE, OPERATION } from './semconv.ts';
import { agentName, agentSpanKey } from './span-agents.ts';
import { recomputeEffects } from './span-effects.ts';
import { spanIdOf } from './span-ids.ts';
import { redactSpan } from './span-redaction.ts';
import { ROOT_KEY, type TraceSegment } from './span-segment.ts';
import type { Span } from './span.ts';
import { buildSpans } from './spans.ts';
import { toHrTime } from './span-time.ts';

interface HostedRun {
  readonly segment: TraceSegment;
  readonly agent: string;
  readonly before: readonly FlightEvent[];
  readonly captureContent: boolean;
  /** The caller's context; the host's own active span goes before it. */
  readonly caller?: TraceCarrier;
}

interface HostSpan {
  readonly span: api.Span;
  readonly context: api.Context;
}

const SCOPE = 'sortie';

/** The trace of one run in the host's provider. */
export class HostTrace {
  /** The context that the run was started in, for its log. */
  readonly traceparent?: string;
  readonly #run: HostedRun;
  readonly #events: FlightEvent[];
  readonly #tracer = api.trace.getTracer(SCOPE);
  /** Spans that are started, by the ids that they have when they are built from the log. */
  readonly #started = new Map<string, HostSpan>();
  /** Contexts of the spans that have ended, by the same ids. */
  readonly #ended = new Map<string, api.Context>();
  readonly #outside: api.Context;
  readonly #root: HostSpan;
  readonly #handedOn = new HandedOn();
  /** The keys of the last tries of calls of agents, by the keys of the calls. */
  readonly #tries = new Map<string, string>();

  private constructor(run: HostedRun, startedAtMs: number) {
    this.#run = run;
    this.#events = [...run.before];
    for (const event of run.before) this.#handedOn.read(event);
    this.#outside = contextOf(run.caller);
    const around = api.trace.getSpanContext(this.#outside);
    if (around !== undefined && api.isSpanContextValid(around)) this.traceparent = toTraceparent(around);
    const attributes = {
      [ATTRIBUTE.operationName]: OPERATION.invokeAgent,
      [ATTRIBUTE.agentName]: run.agent,
    };
    const name = `${OPERATION.invokeAgent} ${run.agent}`;
    this.#root = this.#start(ROOT_KEY, this.#outside, { name, startMs: startedAtMs, attributes });
  }

  /** Begins the trace of a run in the context that is active now. */
  static open(run: HostedRun): HostTrace {
    return new HostTrace(run, performance.timeOrigin + performance.now());
  }

  follow(event: FlightEvent, state: RunState): void {
    this.#events.push(event);
    if (event.type === 'node.started') this.#startAttempt(event, state);
    else if (event.type === 'agent.started') this.#startAgent(event, event.at);
    else if (event.type === 'call.started' && !isHandedOn(event.tool)) {
      const key = tryKey(event.key, event.attempt);
      this.#tries.set(event.key, key);
      this.#startTool(key, event.tool, this.#contextOf(agentSpanKey(event.agent)), event.at);
    } else if (event.type === 'run.resumed' || event.type === 'run.forked') {
      for (const attempt of this.#handedOn.attempts) this.#startAttempt({ ...attempt, at: event.at }, state);
      for (const agent of this.#handedOn.agents) this.#startAgent(agent, event.at);
    }
    this.#handedOn.read(event);
  }

  #startAttempt({ node, attempt, at }: EventOf<'node.started'>, state: RunState): void {
    const tool = state.nodes.get(node)?.plan.tool ?? node;
    this.#startTool(attemptKey(node, attempt), tool, this.#root.context, at);
  }

  #startAgent(event: EventOf<'agent.started'>, startMs: number): void {
    const { agent } = event;
    const above = this.#find(agentSpanKey(ownerKey(agent))) ?? this.#find(agent);
    const called = agentName(event, above === undefined ? this.#run.agent : null);
    const attributes = { [ATTRIBUTE.operationName]: OPERATION.invokeAgent, [ATTRIBUTE.agentName]: called };
    this.#start(agentSpanKey(agent), above?.context ?? this.#root.context, {
      ...{ name: `${OPERATION.invokeAgent} ${called}`, startMs, attributes },
    });
  }

  #startTool(key: string, tool: string, parent: api.Context, startMs: number): void {
    const attributes = { [ATTRIBUTE.operationName]: OPERATION.executeTool, [ATTRIBUTE.toolName]: tool };
    this.#start(key, parent, { name: `${OPERATION.executeTool} ${tool}`, startMs, attributes });
  }

  of(effectKey: string): TraceCarrier | undefined {
    const context = this.#find(effectKey)?.span.spanContext();
    if (context === undefined || !api.isSpanContextValid(context)) return undefined;
    const tracestate = context.traceState?.serialize();
    return { traceparent: toTraceparent(context), ...(tracestate ? { tracestate } : {}) };
  }

  within<T>(effectKey: string, call: () => T): T {
    return api.context.with(this.#contextOf(this.#tries.get(effectKey) ?? effectKey), call);
  }

  end(): void {
    try {
      this.#finish();
    } catch (error) {
      // What a host's provider throws is no reason for a run to fail.
      api.diag.error('sortie: the spans of a run could not be handed over', error);
    }
  }

  #finish(): void {
    const { captureContent } = this.#run;
    const effects = captureContent ? { effects: recomputeEffects(this.#events) } : {};
    const spans = buildSpans(this.#events, { captureContent, isLastSegmentOnly: true, ...effects });
    for (const span of spans) this.#end(captureContent ? redactSpan(span) : span);
    const rest = performance.timeOrigin + performance.now();
    // A log without its first event builds nothing; what was started ends all the same.
    for (const { span } of this.#started.values()) span.end(toHrTime(rest));
    recordMeasurements(api.metrics.getMeter(SCOPE), measureRun(this.#events));
  }

  #end(built: Span): void {
    const known = this.#started.get(built.spanId);
    const parent = this.#ended.get(built.parentSpanId ?? '');
    const { span, context } = known ?? this.#create(built, parent ?? this.#outside);
    this.#started.delete(built.spanId);
    this.#ended.set(built.spanId, context);
    span.setAttributes(built.attributes as api.Attributes);
    for (const { name, attributes, atMs } of built.events) {
      span.addEvent(name, attributes as api.Attributes, toHrTime(atMs));
    }
    for (const { traceId, spanId, attributes } of built.links) {
      const context = { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED };
      span.addLink({ context, attributes: attributes as api.Attributes });
    }
    if (built.status.code === 'error') {
      span.setStatus({ code: api.SpanStatusCode.ERROR, message: built.status.message });
    }
    span.end(toHrTime(built.endMs));
  }

  #create({ name, kind, startMs, attributes }: Span, parent: api.Context): HostSpan {
    const span = this.#tracer.startSpan(
      name,
      {
        kind: kind === 'client' ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
        startTime: toHrTime(startMs),
        attributes: attributes as api.Attributes,
      },
      parent,
    );
    return { span, context: api.trace.setSpan(parent, span) };
  }

  #start(
    key: string,
    parent: api.Context,
    { name, startMs, attributes }: Pick<Span, 'name' | 'startMs' | 'attributes'>,
  ): HostSpan {
    const started = this.#create({ name, kind: 'internal', startMs, attributes } as Span, parent);
    this.#started.set(spanIdOf(this.#run.segment.id, key), started);
    return started;
  }

  #contextOf(effectKey: string): api.Context {
    return this.#find(effectKey)?.context ?? this.#root.context;
  }

  #find(effectKey: string): HostSpan | undefined {
    return this.#started.get(spanIdOf(this.#run.segment.id, effectKey));
  }
}

/** The active context, or where nothing is active the caller's. */
function contextOf(caller: TraceCarrier | undefined): api.Context {
  const active = api.context.active();
  if (caller === undefined || api.trace.getSpanContext(active) !== undefined) return active;
  const [, traceId = '', spanId = '', flags = ''] = caller.traceparent.split('-');
  return api.trace.setSpanContext(active, {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
    ...(caller.tracestate === undefined ? {} : { traceState: api.createTraceState(caller.tracestate) }),
  });
}

function toTraceparent({ traceId, spanId, traceFlags }: api.SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
