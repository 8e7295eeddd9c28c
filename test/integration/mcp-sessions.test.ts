import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { McpWorld } from '../support/mcp-servers.ts';

let world: McpWorld | null = null;

afterEach(async () => {
  await world?.close();
  world = null;
});

describe('a call in a session that the server does not know', () => {
  /** A server over HTTP that answers the first call with a status, and counts calls. */
  async function serve(status: number): Promise<{ url: string; calls: () => number; close: () => void }> {
    let calls = 0;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return void response.writeHead(202).end();
        if (method === 'tools/call' && ++calls === 1) return void response.writeHead(status).end();
        const tool = { name: 'act', inputSchema: { type: 'object' } };
        const results: Record<string, Json> = {
          initialize: {
            protocolVersion: '2025-06-18',
            capabilities: { tools: {} },
            serverInfo: { name: 'h', version: '0' },
          },
          'tools/list': { tools: [tool] },
          'tools/call': { content: [{ type: 'text', text: 'done' }] },
        };
        response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': `s${calls}` });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const close = (): void => {
      server.close();
      server.closeAllConnections();
    };
    return { url: `http://127.0.0.1:${port}/mcp`, calls: () => calls, close };
  }

  it.each([
    [404, { effect: 'read' as const }, true],
    [400, { effect: 'write' as const, tools: { act: { idempotent: true } } }, true],
    [404, { effect: 'write' as const }, false],
    [400, { effect: 'irreversible' as const }, false],
  ])('is made again (%i, %j): %j', async (status, caution, isAgain) => {
    const { url, calls, close } = await serve(status);
    try {
      world = await new McpWorld({ evil: { url, protocol: 'legacy', ...caution } }).open();
      const calling = world.call('evil__act');
      if (isAgain) await expect(calling).resolves.toBe('done');
      else await expect(calling).rejects.toMatchObject({ code: 'timeout' });
      expect(calls()).toBe(isAgain ? 2 : 1);
      await expect(world.call('evil__act')).resolves.toBe('done');
    } finally {
      close();
    }
  });
});
