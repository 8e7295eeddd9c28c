import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../src/tools/web/address-guard.ts';
import { HttpClient, type HttpRequest } from '../../../src/tools/web/http-client.ts';
import { readBody } from '../../../src/tools/web/read-body.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

const servers: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(answer: Parameters<typeof startWebServer>[0]): Promise<WebServer> {
  const server = await startWebServer(answer);
  servers.push(server);
  return server;
}

const client = new HttpClient(
  new AddressGuard(['127.0.0.0/8', '*.example'], () =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  ),
);
const { signal } = new AbortController();

async function get(request: string | Omit<HttpRequest, 'signal'>, maxBytes = 10_000): Promise<string> {
  const answer = await client.send({ ...(typeof request === 'string' ? { url: request } : request), signal });
  return (await readBody(answer, maxBytes)).bytes.toString();
}

describe('a request', () => {
  it('keeps the name of the host although the address was looked up before', async () => {
    const server = await start(({ headers }) => ({ body: headers.host ?? '' }));
    expect(await get(`http://front.example:${server.port}/a?b=c#d`)).toBe(`front.example:${server.port}`);
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/a?b=c' });
  });

  it('carries headers, a body, and the trace that it belongs to', async () => {
    const server = await start(() => ({ body: '' }));
    await get({
      url: `${server.url}/`,
      method: 'POST',
      headers: { 'X-Kind': 'test' },
      body: Buffer.from('hello'),
      trace: { traceparent: '00-11-22-01', tracestate: 'a=b' },
    });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      body: 'hello',
      headers: { 'x-kind': 'test', 'content-length': '5', traceparent: '00-11-22-01', tracestate: 'a=b' },
    });
  });

  it.each([
    ['Host', 'other.example'],
    ['content-length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Proxy-Authorization', 'x'],
    ['Expect', '100-continue'],
    ['X-A', 'a\r\nX-B: b'],
    ['X-A\r\nX-B', 'b'],
    ['X A', 'b'],
    ['', 'b'],
    ['X-A', 'snow \u2603'],
  ])('does not carry the header %j: %j', async (name, value) => {
    const server = await start(() => ({ body: '' }));
    await expect(get({ url: server.url, headers: { [name]: value } })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a redirect', () => {
  const redirectTo = (location: string, status = 302) => ({ status, headers: { location }, body: 'moved' });

  it('is followed, by relative addresses too', async () => {
    const server = await start(({ path }) => (path === '/a/b' ? redirectTo('../c') : { body: path }));
    expect(await get(`${server.url}/a/b`)).toBe('/c');
  });

  it('is given up after ten', async () => {
    const server = await start(() => redirectTo('/again'));
    await expect(get(server.url)).rejects.toMatchObject({ code: 'tool_failed' });
    expect(server.requests).toHaveLength(11);
  });

  it('carries headers on to the same origin only', async () => {
    const other = await start(() => ({ body: '' }));
    const server = await start(({ path }) =>
      path === '/first' ? redirectTo('/second') : redirectTo(`http://127.0.0.1:${other.port}/third`),
    );
    const headers = {
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'x-api-key': 'secret',
      'x-anything': 'secret',
      accept: 'text/plain',
    };
    await get({ url: `${server.url}/first`, headers });
    expect(server.requests[1]?.headers).toMatchObject(headers);
    const { headers: seen } = other.requests[0]!;
    expect(seen).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(seen)).not.toContain('secret');
    expect(seen).not.toHaveProperty('cookie');
  });

  it.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', 'body'],
    [308, 'POST', 'body'],
  ])('of a POST by %i becomes %s', async (status, method, body) => {
    const server = await start(({ path }) => (path === '/' ? redirectTo('/next', status) : { body: '' }));
    await get({
      url: server.url,
      method: 'POST',
      body: Buffer.from('body'),
      headers: { 'content-type': 'a/b' },
    });
    expect(server.requests[1]).toMatchObject({ method, body });
    expect(server.requests[1]?.headers['content-type']).toBe(body === '' ? undefined : 'a/b');
  });

  it('does not carry a body to another origin', async () => {
    const other = await start(() => ({ body: '' }));
    const server = await start(() => redirectTo(other.url, 307));
    await expect(get({ url: server.url, method: 'POST', body: Buffer.from('x') })).rejects.toMatchObject({
      code: 'tool_failed',
    });
    expect(other.requests).toHaveLength(0);
  });

  it('without a location is an answer', async () => {
    const server = await start(() => ({ status: 304, body: '' }));
    const answer = await client.send({ url: server.url, signal });
    expect(answer.status).toBe(304);
    answer.stream.destroy();
  });
});

describe('a body', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ] as const)('is unpacked from %s', async (encoding, pack) => {
    const server = await start(() => ({ headers: { 'content-encoding': encoding }, body: pack('hello') }));
    expect(await get(server.url)).toBe('hello');
  });

  it('is read up to its limit, and no further', async () => {
    const server = await start(() => ({ body: 'x'.repeat(1_000_000) }));
    const answer = await client.send({ url: server.url, signal });
    expect(await readBody(answer, 1000)).toMatchObject({ bytes: Buffer.from('x'.repeat(1000)), isCut: true });
    const whole = await client.send({ url: server.url, signal });
    expect(await readBody(whole, 1_000_000)).toMatchObject({ isCut: false });
  });

  it('that unpacks to far more is read up to its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const server = await start(() => ({ headers: { 'content-encoding': 'gzip' }, body: bomb }));
    const answer = await client.send({ url: server.url, signal });
    expect(await readBody(answer, 1000)).toMatchObject({ isCut: true });
  });

  it.each([
    ['gzip, gzip, gzip', gzipSync('x')],
    ['zstd', Buffer.from('x')],
    ['gzip', Buffer.from('not packed')],
  ])('packed as %s is refused', async (encoding, body) => {
    const server = await start(() => ({ headers: { 'content-encoding': encoding }, body }));
    await expect(get(server.url)).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('that breaks off is a transient failure, never half a text', async () => {
    const server = await start((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
      setTimeout(() => response.destroy(), 20);
      return undefined;
    });
    await expect(get(server.url)).rejects.toMatchObject({ retry: 'TRANSIENT' });
  });

  it('that never ends is left when the call is aborted', async () => {
    const server = await start((_request, response) => {
      response.writeHead(200);
      response.write('start');
      return undefined;
    });
    const controller = new AbortController();
    const answer = await client.send({ url: server.url, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('stopped')), 20);
    await expect(readBody(answer, 1000)).rejects.toThrow('stopped');
  });
});

describe('a server that', () => {
  async function startRaw(answer: (socket: Socket) => void): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push({
      close: async () => {
        server.close();
        await once(server, 'close');
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('speaks no HTTP is a failure', async () => {
    const url = await startRaw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await expect(get(url)).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('sends headers without end is a failure', async () => {
    const url = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let index = 0; index < 2000; index++) socket.write(`x-${index}: ${'y'.repeat(100)}\r\n`);
    });
    await expect(get(url)).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('goes over to another protocol is a failure', async () => {
    const url = await startRaw((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    await expect(get(url)).rejects.toMatchObject({ code: 'tool_failed' });
  });

  it('hangs up is a transient failure', async () => {
    const url = await startRaw((socket) => socket.destroy());
    await expect(get(url)).rejects.toMatchObject({ retry: 'TRANSIENT' });
  });

  it('is not there is a transient failure', async () => {
    const server = await startWebServer(() => ({ body: '' }));
    await server.close();
    await expect(get(server.url)).rejects.toMatchObject({ code: 'tool_transient' });
  });

  it('never answers is left when the call is aborted', async () => {
    const url = await startRaw(() => undefined);
    const controller = new AbortController();
    const sent = client.send({ url, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('stopped')), 20);
    await expect(sent).rejects.toThrow('stopped');
  });
});
