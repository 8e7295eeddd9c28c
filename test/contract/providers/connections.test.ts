/*
 * Some servers, llama.cpp's among them, close a connection behind a streamed answer although they promise to keep it; a
 * call that is sent over it in that moment is lost.
 */
import type { Socket } from 'node:net';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_MODES, ask, createProvider, question } from '../../support/api-providers.ts';
import { type ModelServer, startModelServer } from '../../support/model-server/model-server.ts';
import { resolveProvider } from '../../../src/providers/resolve.ts';

const CHUNKS = [
  { choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
];

/** Answers one call a connection: the next one finds it closed. */
function createBreakingServer(): Server {
  const served = new WeakSet<Socket>();
  return createServer((request, response) => {
    if (served.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    served.add(request.socket);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'keep-alive': 'timeout=5, max=100' });
    for (const chunk of CHUNKS) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
}

describe('a server of one’s own that breaks its promise to keep a connection', () => {
  let server: Server;
  beforeAll(async () => {
    server = createBreakingServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  it('loses no call', async () => {
    const { port } = server.address() as AddressInfo;
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    const provider = await resolveProvider('compatible', { env: {}, baseUrl });
    for (let call = 1; call <= 5; call++) {
      const { answer } = await ask(provider, question('chat'));
      expect(answer).toMatchObject({ text: 'Yes.', usage: { inputTokens: 5, outputTokens: 2 } });
      // By now a connection that is kept open is free for the next call.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
});

describe('a vendor', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer(() => ({ reply: { text: 'Yes.' } }));
  });
  afterAll(() => server.close());

  it.each(API_MODES)('is asked over the same connection again: %s', async (api) => {
    const provider = createProvider(api, server);
    await ask(provider, question(api));
    expect(server.requests.at(-1)?.headers['connection']).toBe('keep-alive');
    await ask(createProvider(api, server, { isKeptOpen: false }), question(api));
    expect(server.requests.at(-1)?.headers['connection']).toBe('close');
  });
});
