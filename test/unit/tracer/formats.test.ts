import { describe, expect, it } from 'vitest';
import { type ChromeEvent, toChromeTrace } from '../../../src/tracer/chrome-trace.ts';
import { toJaegerJson } from '../../../src/tracer/jaeger-json.ts';
import { toOtlpJson } from '../../../src/tracer/otlp-json.ts';
import type { Span } from '../../../src/tracer/span.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { FlightBuilder, LOG_START_MS } from '../../support/flight-builder.ts';
import * as scenarios from '../../support/flight-scenarios.ts';

const RESOURCE = { 'service.name': 'sortie', team: 'blue' };
const START_MICROSECONDS = LOG_START_MS * 1000;
const runs = Object.entries(scenarios).flatMap(([name, make]): [string, Span[]][] =>
  typeof make === 'function' ? [[name, buildSpans(make())]] : [],
);

describe('Jaeger JSON', () => {
  const { data } = toJaegerJson(buildSpans(scenarios.cityCompare()), RESOURCE);
  const [trace] = data;

  it('is one trace of the service, every span with its process', () => {
    expect(data).toHaveLength(1);
    expect(trace?.processes).toEqual({
      p1: { serviceName: 'sortie', tags: [{ key: 'team', type: 'string', value: 'blue' }] },
    });
    expect(trace?.spans).toHaveLength(9);
    for (const span of trace?.spans ?? []) {
      expect(span.traceID).toBe(trace?.traceID);
      expect(span.processID).toBe('p1');
      expect(Number.isSafeInteger(span.startTime) && Number.isSafeInteger(span.duration)).toBe(true);
      expect(span.duration).toBeGreaterThan(0);
    }
  });

  it('has typed tags, parents, and events as logs', () => {
    const [root, , chat] = trace?.spans ?? [];
    expect(root).toMatchObject({ startTime: START_MICROSECONDS, duration: 393_000, references: [] });
    expect(chat?.references).toEqual([
      { refType: 'CHILD_OF', traceID: trace?.traceID, spanID: trace?.spans[1]?.spanID },
    ]);
    const tags = new Map(chat?.tags.map((tag) => [tag.key, tag]));
    expect(tags.get('gen_ai.usage.input_tokens')).toEqual({
      ...{ key: 'gen_ai.usage.input_tokens', type: 'int64', value: 200 },
    });
    expect(tags.get('gen_ai.response.finish_reasons')).toMatchObject({ type: 'string', value: '["stop"]' });
    expect(tags.get('span.kind')).toMatchObject({ type: 'string', value: 'client' });
    const verdict = root?.logs.at(-1);
    expect(verdict?.timestamp).toBe(START_MICROSECONDS + 392_000);
    expect(verdict?.fields).toEqual(
      expect.arrayContaining([
        { key: 'event', type: 'string', value: 'gen_ai.evaluation.result' },
        { key: 'gen_ai.evaluation.score.value', type: 'float64', value: 0.9 },
      ]),
    );
  });

  it('marks errors as Jaeger does, and refers to what a span follows from', () => {
    const [retried] = toJaegerJson(buildSpans(scenarios.retriedRun()), RESOURCE).data;
    const attempts = retried?.spans.filter(({ operationName }) => operationName.startsWith('execute_tool'));
    expect(attempts?.[0]?.tags).toEqual(
      expect.arrayContaining([
        { key: 'error', type: 'bool', value: true },
        { key: 'otel.status_description', type: 'string', value: 'tool_transient' },
      ]),
    );
    expect(attempts?.[1]?.references).toContainEqual({
      ...{ refType: 'FOLLOWS_FROM', traceID: retried?.traceID, spanID: attempts?.[0]?.spanID },
    });
  });

  it('has a trace for each process that drove the run', () => {
    const resumed = toJaegerJson(buildSpans(scenarios.resumedRun()), RESOURCE);
    expect(resumed.data.map(({ spans }) => spans.length)).toEqual([6, 3]);
  });
});

describe('OTLP JSON', () => {
  it('has 64-bit times and integers as texts', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .wait(0.25)
      .nodeRun('a', 999.75)
      .build();
    const { resourceSpans } = toOtlpJson(buildSpans(events), RESOURCE) as {
      resourceSpans: { resource: object; scopeSpans: { spans: Record<string, unknown>[] }[] }[];
    };
    expect(resourceSpans[0]?.resource).toEqual({
      attributes: [
        { key: 'service.name', value: { stringValue: 'sortie' } },
        { key: 'team', value: { stringValue: 'blue' } },
      ],
    });
    const attempt = resourceSpans[0]?.scopeSpans[0]?.spans.at(-1);
    expect(attempt).toMatchObject({
      ...{ name: 'execute_tool t', kind: 1, status: {}, droppedEventsCount: 0 },
      ...{ startTimeUnixNano: '1796022000000250000', endTimeUnixNano: '1796022001000000000' },
    });
    expect(attempt?.['attributes']).toContainEqual({
      ...{ key: 'sortie.node.attempt', value: { intValue: '1' } },
    });
  });

  it.each(runs)('keeps every span, event and link of %s', (_, spans) => {
    const [resourceSpans] = (
      toOtlpJson(spans, {}) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    ).resourceSpans;
    const written = resourceSpans?.scopeSpans[0]?.spans ?? [];
    const shape = ({ name, spanId, events, links }: Span) => [name, spanId, events.length, links.length];
    expect(written.map(shape)).toEqual(spans.map(shape));
  });
});

describe('the Chrome trace', () => {
  const slicesOf = (events: readonly ChromeEvent[]) => events.filter(({ ph }) => ph === 'X');

  it.each(runs)('nests the slices of each track in %s', (_, spans) => {
    const { traceEvents } = toChromeTrace(spans, RESOURCE);
    expect(slicesOf(traceEvents)).toHaveLength(spans.length);
    for (const slice of slicesOf(traceEvents)) {
      for (const other of slicesOf(traceEvents)) {
        if (slice === other || slice.pid !== other.pid || slice.tid !== other.tid) continue;
        expect(isApart(slice, other) || isInside(slice, other) || isInside(other, slice)).toBe(true);
      }
    }
  });

  it('names processes and tracks, and puts what runs at the same time on tracks of its own', () => {
    const { displayTimeUnit, traceEvents } = toChromeTrace(buildSpans(scenarios.cityCompare()), RESOURCE);
    expect(displayTimeUnit).toBe('ms');
    expect(traceEvents.filter(({ ph }) => ph === 'M').map(({ name, args }) => [name, args['name']])).toEqual([
      ['process_name', 'sortie 20261130-070000-000-aaaa'],
      ['thread_name', 'run'],
      ['thread_name', 'at the same time 1'],
    ]);
    const populations = slicesOf(traceEvents).filter(({ name }) => name === 'execute_tool get_population');
    expect(populations.map(({ tid }) => tid)).toEqual([1, 2]);
    const [root] = slicesOf(traceEvents);
    expect(root).toMatchObject({ ts: START_MICROSECONDS, dur: 393_000, cat: 'invoke_agent', pid: 1, tid: 1 });
    expect(traceEvents.filter(({ ph }) => ph === 'i').map(({ name }) => name)).toContain(
      'gen_ai.evaluation.result',
    );
  });

  it('takes as many tracks as calls run at once', () => {
    const builder = new FlightBuilder().start().plan([], 'n0');
    for (let index = 0; index < 8; index++) builder.nodeStart(`n${index}`);
    builder.wait(5);
    for (let index = 0; index < 8; index++) builder.nodeDone(`n${index}`);
    for (let index = 8; index < 40; index++) builder.nodeRun(`n${index}`, 1);
    const { traceEvents } = toChromeTrace(buildSpans(builder.build()), RESOURCE);
    expect(new Set(slicesOf(traceEvents).map(({ tid }) => tid)).size).toBe(8);
  });
});

const endOf = ({ ts = 0, dur = 0 }: ChromeEvent) => ts + dur;

function isApart(a: ChromeEvent, b: ChromeEvent): boolean {
  return endOf(a) <= (b.ts ?? 0) || endOf(b) <= (a.ts ?? 0);
}

function isInside(inner: ChromeEvent, outer: ChromeEvent): boolean {
  return (inner.ts ?? 0) >= (outer.ts ?? 0) && endOf(inner) <= endOf(outer);
}
