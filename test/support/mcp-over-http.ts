import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
} from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';

/** A server of ours behind an address on loopback: the conformance suite speaks to servers over HTTP only. */
export async function serveOverHttp(
  create: () => Promise<McpServer>,
): Promise<{ url: string; close: () => Promise<void> }> {
  const handler = createMcpHandler(create);
  const server = createServer((incoming, outgoing) => {
    const body = incoming.method === 'POST' ? Readable.toWeb(incoming) : null;
    const request = new Request(`http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? '/'}`, {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      ...(body === null ? {} : { body: body, duplex: 'half' }),
    });
    const refused = hostHeaderValidationResponse(request, localhostAllowedHostnames());
    void Promise.resolve(refused ?? handler.fetch(request)).then((response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else Readable.fromWeb(response.body).pipe(outgoing);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
