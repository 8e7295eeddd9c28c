/*
 * A server that speaks the wire formats of model APIs on loopback, and goes wrong on request. It knows nothing of the
 * providers under test; what a model says and how the connection behaves are told it request by request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiMode } from '../../../src/providers/reasoning.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { chatWire } from './chat-wire.ts';
import { messagesWire } from './messages-wire.ts';
import { responsesWire } from './responses-wire.ts';
import type { Wire, WireEvent, WireReply, WireRequest } from './wire.ts';

/** What happens to one request. */
export type Scenario =
  | {
      readonly reply: WireReply;
      /** Ends in the middle of the arguments of a call (of the text, where there is none): by a reset, or cleanly. */
      readonly cut?: 'reset' | 'end';
      /** Sends no blank line after its last event and closes. */
      readonly lastBlankLine?: 'missing';
      /** Never ends the stream once the end marker was sent. */
      readonly end?: 'never';
      /** Sends other events in place of the API's own. */
      readonly events?: (events: readonly WireEvent[]) => readonly WireEvent[];
    }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: { readonly type?: string; readonly code?: string };
    }
  /** Sends the status line, and then nothing; or not even that. */
  | { readonly stall: 'headers' | 'everything' }
  /** Reports an error in the middle of a 200 stream. */
  | { readonly streamError: string }
  /** Sends this body with status 200. */
  | { readonly body: string; readonly contentType: string };

/** A running server. */
export interface ModelServer {
  /** Its address without a path. */
  readonly url: string;
  /** The base URL for a client of that API. */
  baseUrl(api: ApiMode): string;
  readonly requests: readonly WireRequest[];
  /** Requests whose connection the client closed before it was answered. */
  readonly closedByClient: number;
  close(): Promise<void>;
}

const WIRES: Readonly<Record<ApiMode, Wire>> = {
  messages: messagesWire,
  chat: chatWire,
  responses: responsesWire,
};

/** Starts a server; `answer` says what happens to each request, `models` are those that it serves. */
export async function startModelServer(
  answer: (request: WireRequest) => Scenario | Promise<Scenario>,
  models: readonly string[] = [],
): Promise<ModelServer> {
  const requests: WireRequest[] = [];
  let closedByClient = 0;
  const server = createServer((incoming, response) => {
    response.on('close', () => {
      if (!response.writableFinished && !response.errored) closedByClient++;
    });
    if (incoming.url === '/v1/models') {
      const data = models.map((id) => ({ id, object: 'model' }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    void handle(incoming, response, requests, answer).catch((error: unknown) => {
      response.writeHead(599).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    baseUrl: (api) => (api === 'messages' ? url : `${url}/v1`),
    requests,
    get closedByClient() {
      return closedByClient;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  requests: WireRequest[],
  answer: (request: WireRequest) => Scenario | Promise<Scenario>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const found = Object.entries(WIRES).find(([, { path }]) => path === incoming.url);
  if (found === undefined) {
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"error":{"message":"no such path"}}');
    return;
  }
  const [api, wire] = found as [ApiMode, Wire];
  const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
  const isStreamed = body['stream'] === true;
  const request = { api, isStreamed, headers: incoming.headers, body, ...wire.decode(body) };
  requests.push(request);
  await play(await answer(request), request, wire, response);
}

async function play(
  scenario: Scenario,
  request: WireRequest,
  wire: Wire,
  response: ServerResponse,
): Promise<void> {
  const { isStreamed } = request;
  const contentType = isStreamed ? 'text/event-stream; charset=utf-8' : 'application/json';
  if ('stall' in scenario) {
    if (scenario.stall === 'headers') response.writeHead(200, { 'content-type': contentType }).flushHeaders();
  } else if ('status' in scenario) {
    const { status, headers = {}, error = {} } = scenario;
    const kind = { type: error.type ?? 'some_error', message: `status ${status}`, ...error };
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(wire.error(kind)));
  } else if ('streamError' in scenario) {
    const kind = { type: scenario.streamError, message: 'in the middle' };
    const [first] = wire.stream({ text: 'Half a' }, request.model);
    response.writeHead(200, { 'content-type': contentType });
    response.end(
      [first, wire.errorEvent(kind)].map((event) => (event === undefined ? '' : frame(event))).join(''),
    );
  } else if ('body' in scenario) {
    response.writeHead(200, { 'content-type': scenario.contentType }).end(scenario.body);
  } else if (isStreamed) {
    await stream(scenario, request, wire, response);
  } else {
    const text = JSON.stringify(wire.encode(scenario.reply, request.model));
    response.writeHead(200, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
    if (scenario.cut === undefined) response.end(text);
    else response.write(text.slice(0, text.length / 2), () => response.destroy());
  }
}

async function stream(
  scenario: Extract<Scenario, { reply: WireReply }>,
  { model }: WireRequest,
  wire: Wire,
  response: ServerResponse,
): Promise<void> {
  const { reply, cut, lastBlankLine, end } = scenario;
  const regular = wire.stream(reply, model);
  const events = scenario.events?.(regular) ?? regular;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const write = (text: string): Promise<void> =>
    new Promise((resolve) => void response.write(text, () => resolve()));
  if (cut !== undefined) {
    const inCall = events.findIndex(({ isCallPiece }) => isCallPiece === true) + 1;
    await write(
      events
        .slice(0, inCall > 0 ? inCall : Math.ceil(events.length / 2))
        .map(frame)
        .join(''),
    );
    // A reset overtakes what was written; the client shall have seen that.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (cut === 'reset') response.destroy();
    else response.end();
    return;
  }
  if (lastBlankLine === 'missing') {
    const last = events.findLastIndex(({ isEndMarker }) => isEndMarker === true);
    response.end(
      events
        .slice(0, last + 1)
        .map(frame)
        .join('')
        .trimEnd(),
    );
    return;
  }
  for (const event of events) await write(frame(event));
  if (end !== 'never') response.end();
}

function frame({ event, data }: WireEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}
