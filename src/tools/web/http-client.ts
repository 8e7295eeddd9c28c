import type { IncomingMessage } from 'node:http';
import type { PermitsTarget, TraceCarrier } from '../../contracts/tool.ts';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import { AddressGuard, type UrlSource } from './address-guard.ts';
import { parseWebUrl } from './parse-web-url.ts';
import { sendRequest, toWebError } from './send-request.ts';

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Headers that the client itself writes, or that steer what lies between it and the server. */
const OWN_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|accept-encoding|proxy-.*|:.*)$/i;

/** Headers that may go on to another origin: any other may say who asks, and stays with the one it was meant for. */
const IMPERSONAL_HEADERS =
  /^(?:accept|accept-encoding|accept-language|cache-control|content-language|content-length|content-type|traceparent|tracestate|user-agent)$/;

/** One request as a tool wants it. */
export interface HttpRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
  /** The trace that the call belongs to. */
  readonly trace?: TraceCarrier | undefined;
  /** Asked about the address, and about each that it leads on to. */
  readonly permits?: PermitsTarget | undefined;
}

/** An answer whose body has not been read yet: read it, or destroy it. */
export interface HttpAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly stream: IncomingMessage;
  readonly signal: AbortSignal;
}

/**
 * A client for tools: http and https only, to addresses that the guard permits, each redirect checked like the first
 * request and credentials kept from other origins.
 */
export class HttpClient {
  readonly #guard: AddressGuard;

  constructor(guard: AddressGuard) {
    this.#guard = guard;
  }

  /** Sends a request and follows redirects; throws a ToolError that says what may follow. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    let hop: Hop = {
      url: parseWebUrl(request.url),
      source: 'argument',
      method: request.method ?? 'GET',
      headers: ownHeaders(request),
      ...(request.body === undefined ? {} : { body: request.body }),
    };
    for (let count = 0; ; count++) {
      if (request.permits?.('url', hop.url.href) === false) throw notPermitted(hop);
      const answer = await this.#sendHop(hop, request.signal);
      const location = REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
      if (location === undefined) return answer;
      answer.stream.destroy();
      if (count === MAX_REDIRECTS) {
        throw new ToolError('PERMANENT', `${request.url} redirects more than ${MAX_REDIRECTS} times`);
      }
      hop = nextHop(hop, answer.status, location);
    }
  }

  async #sendHop(hop: Hop, signal: AbortSignal): Promise<HttpAnswer> {
    try {
      const addresses = await this.#guard.addressesOf(hop.url, hop.source);
      signal.throwIfAborted();
      const stream = await sendRequest({ ...hop, addresses, guard: this.#guard, signal });
      return { url: hop.url, status: stream.statusCode ?? 0, headers: stream.headers, stream, signal };
    } catch (error) {
      throw toWebError(error, hop.url, signal);
    }
  }
}

interface Hop {
  readonly url: URL;
  readonly source: UrlSource;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** A server that leads astray must not be able to stop the run. */
function notPermitted({ url, source }: Hop): OrchestratorError {
  const where = source === 'redirect' ? ' (where a redirect leads)' : '';
  return new OrchestratorError('policy_denied', `policy does not permit ${url.href}${where}`, {
    retry: source === 'redirect' ? 'PERMANENT' : 'POLICY',
    details: { url: url.href },
  });
}

function ownHeaders({ headers = {}, trace, body }: HttpRequest): Record<string, string> {
  const own: Record<string, string> = {
    'user-agent': 'sortie',
    accept: '*/*',
    ...trace,
  };
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.test(name)) {
      throw new ToolError('TOOL_MISUSE', `the header ${name} is not for tools to set`, { details: { name } });
    }
    if (!/^[!#$%&'*+.^_`|~\w-]{1,200}$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]{0,8192}$/.test(value)) {
      throw new ToolError('TOOL_MISUSE', `the header ${JSON.stringify(name)} is no header of HTTP`);
    }
    own[name.toLowerCase()] = value;
  }
  own['accept-encoding'] = 'gzip, deflate, br';
  if (body !== undefined) own['content-length'] = String(body.length);
  return own;
}

function nextHop(hop: Hop, status: number, location: string): Hop {
  const url = redirectTarget(hop.url, location);
  const isSameOrigin = url.origin === hop.url.origin;
  const isRead = hop.method === 'GET' || hop.method === 'HEAD';
  const becomesGet =
    !isRead && (status === 303 || ((status === 301 || status === 302) && hop.method === 'POST'));
  if (!isSameOrigin && !isRead && !becomesGet) {
    throw new ToolError(
      'PERMANENT',
      `${hop.url.host} sends a ${hop.method} on to ${url.host}; it is not followed`,
      {
        details: { url: hop.url.href, location: url.href },
      },
    );
  }
  const kept = Object.entries(hop.headers).filter(
    ([name]) =>
      (isSameOrigin || IMPERSONAL_HEADERS.test(name)) && !(becomesGet && name.startsWith('content-')),
  );
  return {
    url,
    source: 'redirect',
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(kept),
    ...(becomesGet || hop.body === undefined ? {} : { body: hop.body }),
  };
}

function redirectTarget(from: URL, location: string): URL {
  try {
    return parseWebUrl(new URL(location, from).href);
  } catch (error) {
    if (error instanceof OrchestratorError || error instanceof TypeError) {
      throw new ToolError('PERMANENT', `${from.host} redirects to what is no address of the web`, {
        details: { url: from.href, location: location.slice(0, 500) },
        cause: error,
      });
    }
    throw error;
  }
}
