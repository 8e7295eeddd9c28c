/*
 * Serves pages on the loopback address to the person at this machine alone: whoever asks must know the token of the
 * address, and no other origin is answered. It holds no state of any run.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { refuseRequest } from './guard-request.ts';
import { readBody } from './read-body.ts';
import { streamEvents } from './event-stream.ts';
import type { ShownEvents } from './shown-events.ts';

/** A page with the policy that it is served under. */
export interface ServedPage {
  readonly html: string;
  readonly policy: string;
}

/** What is behind the paths of a server. */
export interface PageSources {
  /** The page at the root. */
  readonly home: (base: string) => Promise<ServedPage>;
  /** What the list of runs holds; null where one run alone is served. */
  readonly list: (() => Promise<Json>) | null;
  /** The page of a run; at the root where one run alone is served, whose id is then empty. */
  readonly page: (runId: string, base: string) => Promise<ServedPage>;
  /** The events of a run; throws `run_not_found`. */
  readonly events: (runId: string) => Promise<ShownEvents>;
  /** What became of an answer to a question of a run. */
  readonly answer: (runId: string, given: Json) => Promise<Json>;
}

const HOST = '127.0.0.1';
const TOKEN_BYTES = 24;
const MOST_STREAMS = 64;
const CLOSE_MS = 2000;

/** See above. */
export class PageServer {
  readonly #sources: PageSources;
  readonly #token = randomBytes(TOKEN_BYTES).toString('base64url');
  readonly #server: Server;
  readonly #streams = new Set<ServerResponse>();

  constructor(sources: PageSources) {
    this.#sources = sources;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.requestTimeout = 30_000;
  }

  /** Address of the home page, with the token. */
  get address(): string {
    return `http://${HOST}:${this.#port}/${this.#token}/`;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  /** Starts to listen, at a free port where it is 0; rejects with the system's error where the port is taken. */
  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, HOST, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
  }

  /** Stops once the pages that are open have been sent what is there, which is waited for a moment. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
    const timer = setTimeout(() => this.#server.closeAllConnections(), CLOSE_MS);
    this.#server.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = readAddress(request);
    const refusal = refuseRequest(request, url.parts, this.#port, this.#token);
    try {
      if (refusal === null) await this.#route(request, response, url);
      else sendJson(response, refusal.status, { message: refusal.message });
    } catch (error) {
      sendError(response, error);
    }
  }

  async #route(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, parts: [, ...parts], after }: Address,
  ): Promise<void> {
    const isOfRun = parts[0] === 'runs' && parts[1] !== undefined && this.#sources.list !== null;
    const runId = isOfRun ? (parts[1] ?? '') : '';
    const [what = '', ...rest] = isOfRun ? parts.slice(2) : parts;
    const base = isOfRun ? `/${this.#token}/runs/${encodeURIComponent(runId)}` : `/${this.#token}`;
    const isRun = isOfRun || this.#sources.list === null;
    if (rest.length > 0) {
      notFound(response);
      return;
    }
    if (request.method === 'POST') {
      if (what !== 'answer' || !isRun) {
        notFound(response);
        return;
      }
      sendJson(response, 200, await this.#sources.answer(runId, await readBody(request)));
      return;
    }
    if (what === '' && !pathname.endsWith('/')) {
      response.writeHead(308, { location: `${pathname}/` }).end();
    } else if (what === '') {
      sendPage(response, await (isOfRun ? this.#sources.page(runId, base) : this.#sources.home(base)));
    } else if (what === 'list' && this.#sources.list !== null && !isOfRun) {
      sendJson(response, 200, await this.#sources.list());
    } else if (what === 'events' && isRun) {
      const last = request.headers['last-event-id'] ?? after;
      this.#stream(response, await this.#sources.events(runId), Number(last));
    } else notFound(response);
  }

  #stream(response: ServerResponse, shown: ShownEvents, afterSeq: number): void {
    if (this.#streams.size >= MOST_STREAMS) {
      sendJson(response, 503, { message: 'Too many pages are open.' });
      return;
    }
    this.#streams.add(response);
    response.once('close', () => this.#streams.delete(response));
    const after = Number.isSafeInteger(afterSeq) && afterSeq >= -1 ? afterSeq : -1;
    streamEvents(response, shown, after);
  }
}

interface Address {
  readonly pathname: string;
  /** What stands between the slashes of the path, from the token on. */
  readonly parts: readonly string[];
  /** The last event that the reader has. */
  readonly after: string;
}

/** What a request asks for; a path that cannot be read is an empty one. */
function readAddress(request: IncomingMessage): Address {
  try {
    const { pathname, searchParams } = new URL(request.url ?? '/', `http://${HOST}`);
    const parts = pathname.split('/').slice(1).map(decodeURIComponent);
    return { pathname, parts, after: searchParams.get('after') ?? '-1' };
  } catch {
    return { pathname: '/', parts: [], after: '-1' };
  }
}

const COMMON_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

function sendPage(response: ServerResponse, { html, policy }: ServedPage): void {
  const headers = {
    ...COMMON_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${policy}; frame-ancestors 'none'`,
  };
  response.writeHead(200, headers).end(html);
}

function sendJson(response: ServerResponse, status: number, value: Json): void {
  if (response.headersSent) return;
  response
    .writeHead(status, { ...COMMON_HEADERS, 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(value));
}

function notFound(response: ServerResponse): void {
  sendJson(response, 404, { message: 'There is nothing here.' });
}

const STATUS_OF: Readonly<Record<string, number>> = {
  run_not_found: 404,
  no_question: 409,
  already_decided: 409,
  usage: 422,
};

function sendError(response: ServerResponse, error: unknown): void {
  if (error instanceof OrchestratorError) {
    const { code, message, hint } = error;
    sendJson(response, STATUS_OF[code] ?? 500, { code, message, hint });
    return;
  }
  sendJson(response, 500, { message: error instanceof Error ? error.message : String(error) });
}
