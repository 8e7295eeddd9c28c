import { type AddressInfo, createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportSpans } from '../../src/tracer/otel.ts';
import { buildSpans } from '../../src/tracer/spans.ts';
import { cityCompare, failedRun } from '../support/flight-scenarios.ts';
import { FlightBuilder } from '../support/flight-builder.ts';
import {
  attributesOf,
  bodyOf,
  type OtlpCollector,
  spansOf,
  startCollector,
} from '../support/otlp-collector.ts';

const collectors: OtlpCollector[] = [];
const socketServers: SocketServer[] = [];
const JSON_ENV = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };

afterEach(() => {
  for (const collector of collectors.splice(0)) collector.stop();
  for (const server of socketServers.splice(0)) server.close();
});

async function collect(...args: Parameters<typeof startCollector>): Promise<OtlpCollector> {
  const collector = await startCollector(...args);
  collectors.push(collector);
  return collector;
}

// What it takes to load the exporter the first time does not belong to the times measured below.
beforeAll(async () => {
  const { url } = await collect();
  await exportSpans(buildSpans(failedRun()), { url, env: {}, timeoutMs: 30_000 });
});

describe('exportSpans', () => {
  it('posts the whole tree as JSON, with our ids, times and attributes', async () => {
    const { url, posts } = await collect();
    const spans = buildSpans(cityCompare());
    const env = { ...JSON_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: url };
    expect(await exportSpans(spans, { env })).toEqual({ ok: true, count: 9 });
    expect(posts.map(({ path, type }) => [path, type])).toEqual([['/v1/traces', 'application/json']]);
    const sent = spansOf(bodyOf(posts[0]));
    expect(
      sent.map(({ traceId, spanId, parentSpanId, name }) => ({ traceId, spanId, parentSpanId, name })),
    ).toEqual(
      spans.map(({ traceId, spanId, parentSpanId, name }) => ({ traceId, spanId, parentSpanId, name })),
    );
    const [root, plan, chat] = sent;
    expect([root?.kind, plan?.kind, chat?.kind]).toEqual([1, 1, 3]);
    expect(root?.startTimeUnixNano).toBe('1796022000000000000');
    expect(root?.endTimeUnixNano).toBe('1796022000393000000');
    expect(root?.events?.at(-1)).toMatchObject({ name: 'gen_ai.evaluation.result' });
    expect(attributesOf(chat?.attributes ?? [])).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 200,
    });
  });

  it('keeps fractions of a millisecond and the status of a failure', async () => {
    const { url, posts } = await collect();
    const failure = { code: 'timeout', class: 'TRANSIENT', message: 'too slow' } as const;
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .wait(0.25)
      .nodeStart('a')
      .wait(999.75)
      .attemptFailed('a', failure)
      .build();
    await exportSpans(buildSpans(events), { url, env: JSON_ENV });
    const [, attempt] = spansOf(bodyOf(posts[0]));
    expect(attempt).toMatchObject({
      startTimeUnixNano: '1796022000000250000',
      endTimeUnixNano: '1796022001000000000',
      status: { code: 2, message: 'timeout' },
    });
  });

  it('posts protobuf by default', async () => {
    const { url, posts } = await collect();
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/my/traces` };
    expect(await exportSpans(buildSpans(cityCompare()), { env })).toEqual({ ok: true, count: 9 });
    expect(posts.map(({ path, type }) => [path, type])).toEqual([['/my/traces', 'application/x-protobuf']]);
    expect(posts[0]?.body.includes('execute_tool get_population')).toBe(true);
  });

  it('takes resource and headers from the environment', async () => {
    const { url, posts } = await collect();
    const env = {
      ...JSON_ENV,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=a%20key,authorization=Basic%20dTpw==',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-tenant=blue',
      OTEL_SERVICE_NAME: 'night-run',
      OTEL_RESOURCE_ATTRIBUTES: 'team=blue%2C green',
    };
    await exportSpans(buildSpans(failedRun()), { url, env });
    expect(posts[0]?.headers).toMatchObject({
      ...{ 'x-api-key': 'a key', 'x-tenant': 'blue', authorization: 'Basic dTpw==' },
    });
    expect(attributesOf(bodyOf(posts[0]).resourceSpans[0]?.resource.attributes ?? [])).toEqual({
      'service.name': 'night-run',
      team: 'blue, green',
    });
  });

  it('sends a large trace in several requests', async () => {
    const { url, posts } = await collect();
    const builder = new FlightBuilder().start().plan([], 'n0');
    for (let index = 0; index < 4500; index++) builder.nodeRun(`n${index}`, 1);
    const result = await exportSpans(buildSpans(builder.build()), { url, env: JSON_ENV, timeoutMs: 20_000 });
    expect(result).toEqual({ ok: true, count: 4501 });
    expect(posts.map((post) => spansOf(bodyOf(post)).length)).toEqual([2000, 2000, 501]);
  });

  it.each([
    [
      'tracing is turned off',
      { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    ],
    ['no collector is named', {}],
  ])('sends nothing where %s', async (_, env) => {
    expect(await exportSpans(buildSpans(failedRun()), { env })).toEqual({ ok: true, count: 0 });
  });
});

describe('a collector that fails', () => {
  const spans = buildSpans(cityCompare());

  async function timed(url: string, timeoutMs: number) {
    const startedAt = performance.now();
    const result = await exportSpans(spans, { url, env: {}, timeoutMs });
    return { result, tookMs: performance.now() - startedAt };
  }

  it('never answers: the export is given up in time and the connection is let go', async () => {
    let isClosed = false;
    const { url } = await collect((response) => response.on('close', () => (isClosed = true)));
    const { result, tookMs } = await timed(url, 300);
    expect(result).toMatchObject({ ok: false });
    expect(tookMs).toBeLessThan(900);
    await vi.waitFor(() => expect(isClosed).toBe(true), 2000);
  });

  it('answers byte by byte without an end', async () => {
    const { url } = await collect((response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { result, tookMs } = await timed(url, 300);
    expect(result).toEqual({ ok: false, reason: `${url}/v1/traces did not answer within 300 ms` });
    expect(tookMs).toBeLessThan(900);
  });

  it('is not there', async () => {
    const { url } = await collect();
    collectors.splice(0).forEach((collector) => collector.stop());
    const { result, tookMs } = await timed(url, 500);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('ECONNREFUSED') as string });
    expect(tookMs).toBeLessThan(1200);
  });

  it.each([
    [400, 'Bad Request'],
    [500, 'Internal Server Error'],
  ])('refuses the spans with %i', async (status, words) => {
    const { url, posts } = await collect((response) => response.writeHead(status).end('no such tenant'));
    expect(await timed(url, 2000)).toMatchObject({
      result: {
        ok: false,
        reason: `${url}/v1/traces did not take the spans: ${status} ${words} (no such tenant)`,
        status,
      },
    });
    expect(posts).toHaveLength(1);
  });

  it('is overloaded for longer than it is waited for', async () => {
    const { url } = await collect((response) => response.writeHead(503).end());
    const { result, tookMs } = await timed(url, 1500);
    expect(result).toMatchObject({ ok: false });
    expect(tookMs).toBeLessThan(2500);
  });

  it('takes the connection and never reads', async () => {
    const sockets: { destroyed: boolean; destroy(): void }[] = [];
    const server = createSocketServer({ pauseOnConnect: true }, (socket) => sockets.push(socket));
    socketServers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { result, tookMs } = await timed(url, 300);
    expect(result).toEqual({ ok: false, reason: `${url}/v1/traces did not answer within 300 ms` });
    expect(tookMs).toBeLessThan(900);
    for (const socket of sockets) socket.destroy();
  });

  it.each([
    ['not a url', {}, '"not a url" is not the URL of a collector'],
    ['ftp://example.org', {}, 'is not the URL of a collector'],
    ['http://127.0.0.1:9', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, '"grpc", which is not supported'],
    [
      'https://127.0.0.1:9',
      { OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere.pem' },
      '"/nowhere.pem", which cannot be read',
    ],
  ])('is named wrongly: %s %o', async (url, env, reason) => {
    expect(await exportSpans(spans, { url, env })).toMatchObject({
      ok: false,
      reason: expect.stringContaining(reason) as string,
    });
  });
});
