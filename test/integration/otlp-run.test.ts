import { afterEach, describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { exportRun, orchestrate } from '../../src/index.ts';
import { FlightBuilder } from '../support/flight-builder.ts';
import {
  attributesOf,
  bodyOf,
  type OtlpBody,
  type OtlpCollector,
  spansOf,
  startCollector,
} from '../support/otlp-collector.ts';

const collectors: OtlpCollector[] = [];
const CITY_COMPARE = 'examples/city-compare/city-compare.yaml';
const JSON_ENV = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };

afterEach(() => {
  for (const collector of collectors.splice(0)) collector.stop();
});

async function collect(...args: Parameters<typeof startCollector>): Promise<OtlpCollector> {
  const collector = await startCollector(...args);
  collectors.push(collector);
  return collector;
}

describe('figures', () => {
  interface MetricsBody {
    readonly resourceMetrics: readonly {
      scopeMetrics: readonly {
        metrics: readonly {
          name: string;
          unit: string;
          histogram?: {
            dataPoints: readonly { sum: number; count: number; explicitBounds: readonly number[] }[];
          };
          sum?: { isMonotonic: boolean; dataPoints: readonly { asInt?: number; asDouble?: number }[] };
          gauge?: { dataPoints: readonly { asInt?: number; asDouble?: number }[] };
        }[];
      }[];
    }[];
  }

  async function runMeasured() {
    const store = new MemoryRunStore();
    const { runId } = await orchestrate({ task: CITY_COMPARE, store, env: {} });
    return store.read(runId);
  }

  it('go to the collector beside the spans: histograms, counters and the pressure', async () => {
    const { url, posts } = await collect();
    const events = await runMeasured();
    expect(await exportRun(events, { url, env: JSON_ENV, timeoutMs: 20_000 })).toMatchObject({ ok: true });
    // Spans go first: what figures need takes long to load.
    expect(posts.map(({ path }) => path)).toEqual(['/v1/traces', '/v1/metrics']);
    const post = posts.find(({ path }) => path === '/v1/metrics');
    const { resourceMetrics } = JSON.parse(post?.body.toString() ?? '{}') as MetricsBody;
    const metrics = resourceMetrics
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics);
    const named = (name: string) => metrics.find((metric) => metric.name === name);
    const inference = named('gen_ai.client.inference.duration');
    expect(inference?.unit).toBe('s');
    const points = inference?.histogram?.dataPoints ?? [];
    expect(points.reduce((sum, { count }) => sum + count, 0)).toBe(3);
    expect(points[0]?.explicitBounds.slice(0, 3)).toEqual([0.01, 0.02, 0.04]);
    expect(named('gen_ai.execute_tool.duration')?.histogram?.dataPoints).toHaveLength(4);
    expect(named('sortie.nodes')?.sum).toMatchObject({ isMonotonic: true, dataPoints: [{ asDouble: 10 }] });
    const pressure = named('sortie.budget.pressure')?.gauge?.dataPoints[0];
    expect(pressure?.asDouble).toBeGreaterThan(0);
  });

  it('are left alone by a collector of spans, which is no failure', async () => {
    const { url, posts } = await collect((response) =>
      response.writeHead(response.req.url === '/v1/metrics' ? 404 : 200).end('{}'),
    );
    const sent = await exportRun(await runMeasured(), { url, env: {}, timeoutMs: 20_000 });
    expect(sent).toMatchObject({ ok: true });
    expect(posts).toHaveLength(2);
  });

  it('are a failure where the collector has one with them', async () => {
    const { url } = await collect((response) =>
      response.writeHead(response.req.url === '/v1/metrics' ? 500 : 200).end('{}'),
    );
    const sent = await exportRun(await runMeasured(), { url, env: {}, timeoutMs: 20_000 });
    expect(sent).toMatchObject({
      ok: false,
      reason: expect.stringContaining('did not take the metrics') as string,
    });
  });

  it.each([
    ['no metrics are wanted', { metrics: false }, {}],
    ['the environment turns them off', {}, { OTEL_METRICS_EXPORTER: 'none' }],
  ])('stay here where %s', async (_, options, env) => {
    const { url, posts } = await collect();
    await exportRun(await runMeasured(), {
      ...{ env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url }, timeoutMs: 20_000 },
      ...options,
    });
    expect(posts.map(({ path }) => path)).toEqual(['/v1/traces']);
  });
});

describe('the export of a run', () => {
  it('has one time limit for spans and figures together', async () => {
    const { url, posts } = await collect(() => undefined);
    const log = new FlightBuilder()
      .start()
      .catalogue('t')
      .plan([{ id: 'a', tool: 't' }], 'a');
    const events = log.nodeRun('a', 5).build();
    await exportRun(events, { url, env: {}, timeoutMs: 20 });
    const before = performance.now();
    const sent = await exportRun(events, { url, env: {}, timeoutMs: 1500 });
    // Figures are begun half a second after the spans: with a limit of their own they would last until then and longer.
    expect(performance.now() - before).toBeLessThan(1950);
    expect(sent).toMatchObject({ ok: false, reason: `${url}/v1/traces did not answer within 1500 ms` });
    expect(posts.length).toBeGreaterThan(0);
  });

  it('sends nothing by itself where the caller does not record, and all the same where it is told to', async () => {
    const { url, posts } = await collect();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';
    const events = new FlightBuilder().start({}, { traceparent }).plan([], 'a').nodeRun('a', 5).build();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
    expect(await exportRun(events, { env, metrics: false })).toEqual({ ok: true, count: 0 });
    expect(posts).toEqual([]);
    expect(await exportRun(events, { env, url, metrics: false, timeoutMs: 20_000 })).toEqual({
      ok: true,
      count: 2,
    });
  });

  it('says what is wrong with a log that nothing can be measured of, and sends its spans', async () => {
    const { url, posts } = await collect();
    const odd = new FlightBuilder().start().plan([], 'a').nodeRun('a', 5).build();
    const sent = await exportRun(odd, { url, env: {}, timeoutMs: 20_000 });
    expect(sent).toMatchObject({ ok: false, reason: 'no node "a" at event 2', count: 2 });
    expect(posts.map(({ path }) => path)).toEqual(['/v1/traces']);
  });

  it('captures whole prompts and arguments when told to, and no credential with them', async () => {
    const { url, posts } = await collect();
    const store = new MemoryRunStore();
    const key = 'sk-abcdefghijklmnopqrstuvwx';
    const { runId } = await orchestrate({
      ...{ task: CITY_COMPARE, flags: { goal: `Compare the cities; the key is ${key}.` }, store, env: {} },
    });
    const events = await store.read(runId);
    const options = { url, env: JSON_ENV, metrics: false, timeoutMs: 20_000 };
    await exportRun(events, options);
    await exportRun(events, { ...options, captureContent: true });
    const [silent, open] = posts.map(bodyOf);
    expect(JSON.stringify(silent)).not.toContain('Compare the cities');
    const planner = spansOf(open as OtlpBody).find(({ name }) => name === 'chat');
    const content = attributesOf(planner?.attributes ?? []);
    expect(content['gen_ai.system_instructions']).toContain('plan');
    expect(content['gen_ai.input.messages']).toContain('Compare the cities; the key is [redacted]');
    const report = spansOf(open as OtlpBody).find(({ name }) => name === 'execute_tool aggregate_report');
    expect(attributesOf(report?.attributes ?? [])['gen_ai.tool.call.arguments']).toContain('"population"');
    expect(JSON.stringify(open)).not.toContain(key);
  });
});
