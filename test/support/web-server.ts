import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a server of a test answers. */
export interface WebAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A request as the server saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A web server on loopback that notes what it is asked. */
export interface WebServer {
  readonly port: number;
  readonly url: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server; `answer` may answer by itself through the response and return undefined. */
export async function startWebServer(
  answer: (request: SeenRequest, response: ServerResponse) => WebAnswer | undefined,
): Promise<WebServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      const seen = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      requests.push(seen);
      const given = answer(seen, response);
      if (given === undefined) return;
      response.writeHead(given.status ?? 200, { 'content-type': 'text/plain', ...given.headers });
      response.end(given.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}
