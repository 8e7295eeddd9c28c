import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { exportSpans } from '../../src/tracer/otel.ts';
import { buildSpans } from '../../src/tracer/spans.ts';
import { cityCompare, failedRun } from '../support/flight-scenarios.ts';
import { FlightBuilder } from '../support/flight-builder.ts';

interface Post {
  readonly path: string;
  readonly type: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly events: readonly { name: string; timeUnixNano: string }[];
  readonly status: { code: number; message?: string };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    resource: { attributes: OtlpSpan['attributes'] };
    scopeSpans: readonly { scope: { name: string }; spans: readonly OtlpSpan[] }[];
  }[];
}

const servers: Server[] = [];
const JSON_ENV = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' };

afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A collector on loopback: its URL, and what was posted to it. */
async function startCollector(
  respond: (response: ServerResponse) => void = (response) => response.writeHead(200).end('{}'),
): Promise<{ url: string; posts: Post[] }> {
  const posts: Post[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      posts.push({ path: url, type: headers['content-type'], headers, body: Buffer.concat(chunks) });
      respond(response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts };
}

const bodyOf = (post: Post | undefined) => JSON.parse(post?.body.toString() ?? '{}') as OtlpBody;
const spansOf = (body: OtlpBody) =>
  body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans[0]?.spans ?? []);
const attributesOf = (pairs: OtlpSpan['attributes']) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));

// What it takes to load the exporter the first time does not belong to the times measured below.
beforeAll(async () => {
  const { url } = await startCollector();
  await exportSpans(buildSpans(failedRun()), { url, env: {}, timeoutMs: 30_000 });
});

describe('exportSpans', () => {
  it('posts the whole tree as JSON, with our ids, times and attributes', async () => {
    const { url, posts } = await startCollector();
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
    expect(root?.events.at(-1)).toMatchObject({ name: 'gen_ai.evaluation.result' });
    expect(attributesOf(chat?.attributes ?? [])).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 200,
    });
  });

  it('keeps fractions of a millisecond and the status of a failure', async () => {
    const { url, posts } = await startCollector();
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
    const { url, posts } = await startCollector();
    const env = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/my/traces` };
    expect(await exportSpans(buildSpans(cityCompare()), { env })).toEqual({ ok: true, count: 9 });
    expect(posts.map(({ path, type }) => [path, type])).toEqual([['/my/traces', 'application/x-protobuf']]);
    expect(posts[0]?.body.includes('execute_tool get_population')).toBe(true);
  });

  it('takes resource and headers from the environment', async () => {
    const { url, posts } = await startCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-api-key=a%20key');
    const env = {
      ...JSON_ENV,
      OTEL_SERVICE_NAME: 'night-run',
      OTEL_RESOURCE_ATTRIBUTES: 'team=blue%2C green',
    };
    await exportSpans(buildSpans(failedRun()), { url, env });
    expect(posts[0]?.headers['x-api-key']).toBe('a key');
    expect(attributesOf(bodyOf(posts[0]).resourceSpans[0]?.resource.attributes ?? [])).toEqual({
      'service.name': 'night-run',
      team: 'blue, green',
    });
  });

  it('sends a large trace in several requests', async () => {
    const { url, posts } = await startCollector();
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
    const { url } = await startCollector((response) => response.on('close', () => (isClosed = true)));
    const { result, tookMs } = await timed(url, 300);
    expect(result).toMatchObject({ ok: false });
    expect(tookMs).toBeLessThan(900);
    await vi.waitFor(() => expect(isClosed).toBe(true), 2000);
  });

  it('answers byte by byte without an end', async () => {
    const { url } = await startCollector((response) => {
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { result, tookMs } = await timed(url, 300);
    expect(result).toEqual({ ok: false, reason: `${url}/v1/traces did not answer within 300 ms` });
    expect(tookMs).toBeLessThan(900);
  });

  it('is not there', async () => {
    const { url } = await startCollector();
    servers.splice(0).forEach((server) => server.close());
    const { result, tookMs } = await timed(url, 500);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('ECONNREFUSED') as string });
    expect(tookMs).toBeLessThan(1200);
  });

  it('refuses the spans', async () => {
    const { url } = await startCollector((response) => response.writeHead(400).end('no such tenant'));
    expect(await timed(url, 2000)).toMatchObject({
      result: {
        ok: false,
        reason: `${url}/v1/traces did not take the spans: 400 Bad Request (no such tenant)`,
      },
    });
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
