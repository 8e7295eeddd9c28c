import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { AddressGuard } from '../../../src/tools/web/address-guard.ts';
import { GuardedProxy } from '../../../src/tools/web/guarded-proxy.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

let server: WebServer | null = null;
let proxy: GuardedProxy | null = null;

afterEach(async () => {
  await proxy?.close();
  await server?.close();
  server = null;
});

async function open(maxBytes: number, bodyBytes = 1000): Promise<{ proxy: GuardedProxy; origin: WebServer }> {
  const origin = server ?? (await startWebServer(() => ({ body: 'x'.repeat(bodyBytes) })));
  server = origin;
  const guard = new AddressGuard(['127.0.0.0/8'], () =>
    Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
  );
  proxy = await GuardedProxy.open({ guard, maxBytes });
  return { proxy, origin };
}

/** What comes back through the proxy; null where it was cut. */
function fetchThrough(through: GuardedProxy, url: string): Promise<string | null> {
  const { hostname, port, username, password } = new URL(through.url);
  return new Promise((settle) => {
    const headers = {
      'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
      host: new URL(url).host,
    };
    const sent = request({ hostname, port, path: url, headers }, (answer) => {
      let text = '';
      answer.on('data', (piece: Buffer) => (text += piece.toString()));
      answer.on('error', () => settle(null));
      answer.on('close', () => settle(answer.complete ? text : null));
    });
    sent.on('error', () => settle(null));
    sent.end();
  });
}

describe('GuardedProxy', () => {
  it('counts what comes over a connection once, however many requests it serves', async () => {
    const { proxy: through, origin } = await open(20_000);
    for (let count = 0; count < 12; count++) {
      expect(await fetchThrough(through, `http://origin.example:${origin.port}/${count}`)).toHaveLength(1000);
    }
    expect(through.refusal).toBeNull();
    expect(origin.requests).toHaveLength(12);
  });

  it('cuts every connection when more has come than it lets through, and says so', async () => {
    const { proxy: through, origin } = await open(5000);
    const texts: (string | null)[] = [];
    for (let count = 0; count < 8; count++) {
      texts.push(await fetchThrough(through, `http://origin.example:${origin.port}/${count}`));
    }
    expect(texts.filter((text) => text !== null).length).toBeLessThan(5);
    expect(through.refusal?.message).toBe('more than 5000 bytes came');
  });

  it('counts nothing of what comes through another one later', async () => {
    const { proxy: first, origin } = await open(1_500_000, 1_000_000);
    const url = `http://origin.example:${origin.port}/`;
    expect(await fetchThrough(first, url)).toHaveLength(1_000_000);
    await first.close();
    const { proxy: second } = await open(1_500_000);
    expect(await fetchThrough(second, url)).toHaveLength(1_000_000);
  });

  it('breaks off an answer that breaks off', async () => {
    server = await startWebServer((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('x', () => response.destroy());
      return undefined;
    });
    const { proxy: through, origin } = await open(5000);
    expect(await fetchThrough(through, `http://origin.example:${origin.port}/`)).toBeNull();
  });

  it('breaks off where the server goes over to another protocol', async () => {
    server = await startWebServer((_, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      return undefined;
    });
    const { proxy: through, origin } = await open(5000);
    expect(await fetchThrough(through, `http://origin.example:${origin.port}/`)).toBeNull();
  });

  it.each([
    ['a request', 'GET http://origin.example:PORT/ HTTP/1.1'],
    ['a tunnel', 'CONNECT origin.example:PORT HTTP/1.1'],
  ])('connects nowhere for %s of who has gone while the address was looked up', async (_, line) => {
    let connections = 0;
    const origin = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    origin.listen(0, '127.0.0.1');
    await once(origin, 'listening');
    onTestFinished(() => void origin.close());
    const { port: target } = origin.address() as AddressInfo;
    const look = new EventEmitter();
    const guard = new AddressGuard(['127.0.0.0/8'], async () => {
      look.emit('begun');
      await once(look, 'done');
      return [{ address: '127.0.0.1', family: 4 }];
    });
    proxy = await GuardedProxy.open({ guard, maxBytes: 5000 });
    const { port, username, password } = new URL(proxy.url);
    const login = Buffer.from(`${username}:${password}`).toString('base64');
    const head = [line.replace('PORT', String(target)), 'host: x', `proxy-authorization: Basic ${login}`];
    const client = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const isBegun = once(look, 'begun');
    client.write(`${head.join('\r\n')}\r\n\r\n`);
    await isBegun;
    await proxy.close();
    look.emit('done');
    await nextTurn();
    // Whatever it has opened is seen before this one.
    await once(connect(target, '127.0.0.1').resume(), 'close');
    expect(connections).toBe(1);
  });
});
