import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  attributesOf,
  bodyOf,
  type OtlpCollector,
  type OtlpSpan,
  spansOf,
  startCollector,
} from '../support/otlp-collector.ts';
import { CITY_COMPARE, runCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const JSON_ENV = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_METRICS_EXPORTER: 'none' };
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
let collector: OtlpCollector | null = null;

afterEach(() => {
  collector?.stop();
  collector = null;
});

async function collect(...args: Parameters<typeof startCollector>): Promise<OtlpCollector> {
  collector = await startCollector(...args);
  return collector;
}

const sentTo = ({ posts }: OtlpCollector): OtlpSpan[] =>
  posts.filter(({ path }) => path === '/v1/traces').flatMap((post) => spansOf(bodyOf(post)));

interface PrintedTrace {
  readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly OtlpSpan[] }[] }[];
}

/** The ids of the spans of the run that is exported, as they are printed. */
let ids: readonly string[] = [];

beforeAll(async () => {
  await runCommand(folder, ['run', CITY_COMPARE, '--run-id', 'seen']);
  const { stdout } = await runCommand(folder, ['trace', 'seen']);
  const printed = JSON.parse(stdout) as PrintedTrace;
  ids = printed.resourceSpans[0]?.scopeSpans[0]?.spans.map(({ spanId }) => spanId) ?? [];
});

describe('orchestrate run with a collector', () => {
  it('sends its spans there, as a part of the trace that it was called in', async () => {
    const at = await collect();
    const env = { ...JSON_ENV, TRACEPARENT: `00-${TRACE}-00f067aa0ba902b7-01`, OTEL_SERVICE_NAME: 'night' };
    const { exitCode, stderr } = await runCommand(folder, ['run', CITY_COMPARE, '--otlp', at.url], env);
    expect([exitCode, stderr]).toEqual([0, '']);
    const spans = sentTo(at);
    expect(spans).toHaveLength(ids.length);
    expect(spans[0]).toMatchObject({
      ...{ name: 'invoke_agent city-compare', traceId: TRACE, parentSpanId: '00f067aa0ba902b7' },
    });
    expect(JSON.stringify(spans)).not.toContain('Tokyo');
    expect(attributesOf(bodyOf(at.posts[0]).resourceSpans[0]?.resource.attributes)).toMatchObject({
      'service.name': 'night',
    });
  });

  it('captures content only when told to', async () => {
    const at = await collect();
    const env = { ...JSON_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: at.url };
    await runCommand(folder, ['run', CITY_COMPARE, '--capture-content'], env);
    const planner = sentTo(at).find(({ name }) => name === 'chat');
    expect(attributesOf(planner?.attributes)['gen_ai.input.messages']).toContain('Tokyo');
  });

  it.each([
    ['refuses with 400', 400],
    ['fails with 500', 500],
    ['is overloaded', 503],
  ])('ends as ever where that %s, with a warning', async (_, status) => {
    const at = await collect((response) => response.writeHead(status).end('no'));
    const { exitCode, stdout, stderr } = await runCommand(folder, ['run', CITY_COMPARE, '--otlp', at.url]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^status +verified/m);
    expect(stderr).toContain('warning: no spans were sent');
  });

  it('ends as ever where nothing listens', async () => {
    const at = await collect();
    at.stop();
    const { exitCode, stderr } = await runCommand(folder, ['run', CITY_COMPARE, '--otlp', at.url]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^warning: no spans were sent: .*127\.0\.0\.1.*\n$/);
  });

  it('ends as ever, and soon, where the collector takes the connection and is silent', async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { exitCode, stderr } = await runCommand(folder, ['run', CITY_COMPARE, '--otlp', url]);
    expect(exitCode).toBe(0);
    expect(stderr).toBe(`warning: no spans were sent: ${url}/v1/traces did not answer within 2000 ms\n`);
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('orchestrate trace', () => {
  it('sends a past run, with the ids that it had', async () => {
    const at = await collect();
    const { exitCode, stderr } = await runCommand(folder, ['trace', 'seen', '--otlp', at.url], JSON_ENV);
    expect([exitCode, stderr]).toEqual([0, `sent ${ids.length} spans\n`]);
    await runCommand(folder, ['trace', 'seen'], { ...JSON_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: at.url });
    expect(sentTo(at).map(({ spanId }) => spanId)).toEqual([...ids, ...ids]);
  });

  it('fails where the collector does not take them, and says why', async () => {
    const at = await collect((response) => response.writeHead(400).end('no such tenant'));
    const { exitCode, stderr } = await runCommand(folder, ['trace', 'seen', '--otlp', at.url]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('400 Bad Request (no such tenant)');
  });

  it('prints OTLP JSON by default', async () => {
    const { exitCode, stdout, stderr } = await runCommand(folder, ['trace', 'seen']);
    expect([exitCode, stderr]).toEqual([0, '']);
    const spans = (JSON.parse(stdout) as PrintedTrace).resourceSpans[0]?.scopeSpans[0]?.spans;
    expect(spans?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['invoke_agent city-compare', 'plan city-compare', 'invoke_agent critic']),
    );
    expect(ids.length).toBeGreaterThan(15);
  });

  it.each([
    ['jaeger-json', (text: string) => (JSON.parse(text) as { data: { spans: [] }[] }).data[0]?.spans],
    [
      'chrome',
      (text: string) =>
        (JSON.parse(text) as { traceEvents: { ph: string }[] }).traceEvents.filter(({ ph }) => ph === 'X'),
    ],
  ])('writes %s to a file', async (format, read) => {
    const out = join(folder, `${format}.json`);
    const { exitCode, stdout } = await runCommand(folder, [
      'trace',
      'seen',
      '--format',
      format,
      '--out',
      out,
    ]);
    expect([exitCode, stdout]).toEqual([0, '']);
    expect(read(readFileSync(out, 'utf8'))).toHaveLength(ids.length);
  });

  it.each([
    [['trace', 'nobody'], 2, 'nobody'],
    [['trace', 'seen', '--format', 'xml'], 2, 'xml'],
    [['trace', 'seen', '--out', '/nowhere/at/all.json'], 2, '/nowhere/at/all.json'],
    [['trace', 'seen', '--otlp', 'not a url'], 1, 'is not the URL of a collector'],
  ])('refuses %j', async (words, code, reason) => {
    const { exitCode, stderr } = await runCommand(folder, words);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(reason);
  });
});

describe('orchestrate replay', () => {
  it('sends one span, marked and linked to the run, and only when told to', async () => {
    const at = await collect();
    const env = { ...JSON_ENV, OTEL_EXPORTER_OTLP_ENDPOINT: at.url };
    await runCommand(folder, ['replay', 'seen'], env);
    expect(at.posts).toEqual([]);
    await runCommand(folder, ['trace', 'seen', '--otlp', at.url], JSON_ENV);
    const { exitCode } = await runCommand(folder, ['replay', 'seen', '--otlp', at.url], JSON_ENV);
    expect(exitCode).toBe(0);
    const spans = sentTo(at);
    const [origin] = spans;
    expect(spans.slice(ids.length)).toMatchObject([
      {
        name: 'replay city-compare',
        links: [{ traceId: origin?.traceId, spanId: origin?.spanId }],
      },
    ]);
    expect(attributesOf(spans.at(-1)?.attributes)).toMatchObject({ 'sortie.replay': true });
  });
});
