import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AddressGuard } from '../../../src/tools/web/address-guard.ts';
import { GuardedProxy } from '../../../src/tools/web/guarded-proxy.ts';
import { startWebServer, type WebServer } from '../../support/web-server.ts';

let server: WebServer | null = null;
let proxy: GuardedProxy | null = null;

afterEach(async () => {
  await proxy?.close();
  await server?.close();
});

async function open(maxBytes: number): Promise<{ proxy: GuardedProxy; origin: WebServer }> {
  const origin = await startWebServer(() => ({ body: 'x'.repeat(1000) }));
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
});
