/* The real Jaeger: what is sent to it is read back over the API that its own page uses. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { exportRun, orchestrate } from '../../src/index.ts';
import { toJaegerJson } from '../../src/tracer/jaeger-json.ts';
import { toOtlpJson } from '../../src/tracer/otlp-json.ts';
import { buildSpans } from '../../src/tracer/spans.ts';
import type { Span } from '../../src/tracer/span.ts';
import { resumedRun } from '../support/flight-scenarios.ts';
import { type JaegerServer, startJaeger } from '../support/jaeger-server.ts';
import { attributesOf, type OtlpBody, type OtlpSpan, spansOf } from '../support/otlp-collector.ts';

const started = await startJaeger();
if ('missing' in started) console.warn(`no Jaeger: ${started.missing}`);
const jaeger: JaegerServer | null = 'missing' in started ? null : started;
afterAll(() => jaeger?.stop());

const CITY_COMPARE = 'examples/city-compare/city-compare.yaml';

/** A run that was sent to Jaeger, and the spans that it should have. */
async function send(flags: Record<string, string>, service: string): Promise<readonly Span[]> {
  const store = new MemoryRunStore();
  const { runId } = await orchestrate({ task: CITY_COMPARE, flags, store, env: {} });
  const events = await store.read(runId);
  const options = { url: jaeger?.otlpUrl ?? '', env: { OTEL_SERVICE_NAME: service }, timeoutMs: 30_000 };
  const sent = await exportRun(events, options);
  const spans = buildSpans(events);
  expect(sent).toEqual({ ok: true, count: spans.length });
  return spans;
}

interface FoundTraces {
  readonly data: readonly {
    readonly traceID: string;
    readonly spans: readonly {
      readonly spanID: string;
      readonly operationName: string;
      readonly duration: number;
      readonly startTime: number;
      readonly references: readonly { refType: string; spanID: string }[];
      readonly tags: readonly { key: string; value: unknown }[];
      readonly warnings: readonly string[] | null;
    }[];
  }[];
}

async function search(parameters: Record<string, string>): Promise<FoundTraces['data']> {
  const query = new URLSearchParams({ lookback: '1h', limit: '20', ...parameters });
  return ((await jaeger?.query(`/api/traces?${query.toString()}`)) as FoundTraces).data;
}

const idsOf = (found: FoundTraces['data']) => found.map(({ traceID }) => traceID);

/** The spans of a trace as Jaeger gives them back in OTLP, in the order in which they were sent. */
async function readBack(spans: readonly Span[]): Promise<readonly OtlpSpan[]> {
  const traceId = spans[0]?.traceId ?? '';
  const { result } = (await jaeger?.query(`/api/v3/traces/${traceId}`)) as { result: OtlpBody };
  const order = new Map(spans.map(({ spanId }, index) => [spanId, index]));
  return [...spansOf(result)].sort((a, b) => (order.get(a.spanId) ?? 0) - (order.get(b.spanId) ?? 0));
}

/** A span without what JSON of either side leaves out or adds. */
function comparable(span: OtlpSpan): object {
  const attributes = { ...attributesOf(span.attributes) };
  delete attributes['@jaeger@warnings'];
  return {
    ...{ traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? '' },
    ...{ name: span.name, kind: span.kind, attributes },
    ...{ start: span.startTimeUnixNano, end: span.endTimeUnixNano },
    // Jaeger keeps them by name.
    events: (span.events ?? [])
      .map(({ name, timeUnixNano, attributes: of }) => ({
        ...{ name, at: timeUnixNano, attributes: attributesOf(of) },
      }))
      .toSorted((a, b) => (a.at + a.name < b.at + b.name ? -1 : 1)),
    links: (span.links ?? []).map(({ traceId, spanId, attributes: of }) => ({
      ...{ traceId, spanId, attributes: attributesOf(of) },
    })),
    status: { code: span.status?.code ?? 0, message: span.status?.message ?? '' },
  };
}

describe.skipIf(jaeger === null)('Jaeger', () => {
  let good: readonly Span[] = [];
  let failing: readonly Span[] = [];

  beforeAll(async () => {
    good = await send({}, 'good');
    failing = await send({ 'input.cities': 'Lima,Atlantis' }, 'failing');
  });

  it.each([
    ['city-compare', () => good],
    ['a failing run', () => failing],
  ])('gives back every span of %s as it was sent: parents, times, events, links, errors', async (_, of) => {
    const spans = of();
    const [sent] = [toOtlpJson(spans, {}) as OtlpBody];
    const read = await readBack(spans);
    expect(read.map(comparable)).toEqual(spansOf(sent).map(comparable));
  });

  it('was sent a failing run that has errors and a link, and counts of tokens', () => {
    expect(failing.some(({ status }) => status.code === 'error')).toBe(true);
    expect(failing.some(({ events }) => events.some(({ name }) => name === 'gen_ai.evaluation.result'))).toBe(
      true,
    );
    expect(failing.some(({ links }) => links.length > 0)).toBe(true);
    const chats = good.filter(({ name }) => name.startsWith('chat'));
    for (const { attributes } of chats) expect(attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0);
  });

  it('finds them by service, operation, tag and duration', async () => {
    const [goodId, failingId] = [good[0]?.traceId, failing[0]?.traceId];
    expect(idsOf(await search({ service: 'good' }))).toEqual([goodId]);
    expect(idsOf(await search({ service: 'failing' }))).toEqual([failingId]);
    const operation = 'execute_tool aggregate_report';
    expect(idsOf(await search({ service: 'good', operation }))).toEqual([goodId]);
    expect(await search({ service: 'good', operation: 'execute_tool nothing' })).toEqual([]);
    const tag = (tags: object) => ({ tags: JSON.stringify(tags) });
    const runId = String(failing[0]?.attributes['sortie.run.id']);
    expect(idsOf(await search({ service: 'failing', ...tag({ 'gen_ai.conversation.id': runId }) }))).toEqual([
      failingId,
    ]);
    const missing = tag({ 'error.type': 'missing_info' });
    expect(idsOf(await search({ service: 'failing', ...missing }))).toEqual([failingId]);
    expect(await search({ service: 'good', ...missing })).toEqual([]);
    expect(idsOf(await search({ service: 'good', minDuration: '1us' }))).toEqual([goodId]);
    expect(await search({ service: 'good', minDuration: '1h' })).toEqual([]);
  });

  it('lists services and operations', async () => {
    const { data } = (await jaeger?.query('/api/services')) as { data: string[] };
    expect(data).toEqual(expect.arrayContaining(['failing', 'good']));
    const { operations } = (await jaeger?.query('/api/v3/operations?service=good')) as {
      operations: { name: string }[];
    };
    expect(operations.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'invoke_agent city-compare',
        'plan city-compare',
        'chat',
        'invoke_agent critic',
      ]),
    );
  });

  it('has nothing to say against any of them', async () => {
    for (const service of ['good', 'failing']) {
      const spans = (await search({ service })).flatMap((trace) => trace.spans);
      expect(spans.flatMap(({ warnings }) => warnings ?? [])).toEqual([]);
    }
  });

  it('shows what the file for its upload holds: the same spans, times, references and tags', async () => {
    const [shown] = await search({ service: 'failing' });
    const [written] = toJaegerJson(failing, {}).data;
    type Shown = FoundTraces['data'][number]['spans'][number];
    const shape = ({ operationName, startTime, duration, references }: Shown) => ({
      ...{ operationName, startTime, duration },
      references: references.map(({ refType, spanID }) => `${refType} ${spanID}`).toSorted(),
    });
    const byId = (spans: readonly Shown[]) =>
      Object.fromEntries(spans.map((span) => [span.spanID, shape(span)]));
    expect(byId((written?.spans ?? []) as readonly Shown[])).toEqual(byId(shown?.spans ?? []));
    const errorsOf = (spans: readonly Shown[] = []) =>
      spans.filter(({ tags }) => tags.some(({ key, value }) => key === 'error' && value === true)).length;
    expect(errorsOf(written?.spans as readonly Shown[])).toBe(errorsOf(shown?.spans));
  });

  it('has a trace for each process of a resumed run, the second following from the first', async () => {
    const events = resumedRun();
    const env = { OTEL_SERVICE_NAME: 'resumed' };
    await exportRun(events, { url: jaeger?.otlpUrl ?? '', env, metrics: false, timeoutMs: 30_000 });
    const spans = buildSpans(events);
    const [first, second] = spans.filter(({ name }) => name.startsWith('invoke_agent'));
    const read = await readBack(spans.filter(({ traceId }) => traceId === second?.traceId));
    expect(read[0]?.links).toMatchObject([{ traceId: first?.traceId, spanId: first?.spanId }]);
  });
});
