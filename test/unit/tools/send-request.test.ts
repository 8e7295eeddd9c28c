import { describe, expect, it } from 'vitest';
import type { AddressGuard } from '../../../src/tools/web/address-guard.ts';
import { sendRequest } from '../../../src/tools/web/send-request.ts';
import { startWebServer } from '../../support/web-server.ts';

describe('a connection that leads elsewhere than to what was permitted', () => {
  it('is cut before anything is sent', async () => {
    const server = await startWebServer(() => ({ body: 'ok' }));
    const url = new URL(`http://name.example:${server.port}/token`);
    const send = (permits: boolean) =>
      sendRequest({
        ...{ url, method: 'POST', headers: {}, body: Buffer.from('x'), signal: new AbortController().signal },
        addresses: [{ address: '127.0.0.1', family: 4 }],
        guard: { permits: () => permits } as unknown as AddressGuard,
      });
    await expect(send(false)).rejects.toMatchObject({
      code: 'policy_denied',
      message: `name.example:${server.port} leads to 127.0.0.1, which is not permitted`,
    });
    const answer = await send(true);
    answer.resume();
    expect(server.requests.map(({ path, body }) => ({ path, body }))).toEqual([
      { path: '/token', body: 'x' },
    ]);
    await server.close();
  });
});
