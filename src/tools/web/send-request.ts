import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OrchestratorError, ToolError } from '../../kernel/errors.ts';
import type { AddressGuard } from './address-guard.ts';
import { hostOf } from './parse-web-url.ts';

/** How long a server may take until its answer begins, and between two pieces of it. */
const SILENCE_LIMIT_MS = 30_000;

/** One request, without redirects. */
export interface WireRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Where to connect to: what the guard permitted. */
  readonly addresses: readonly LookupAddress[];
  readonly guard: AddressGuard;
  readonly signal: AbortSignal;
}

/** Sends one request to one of the given addresses and to no other; resolves when the head of the answer is there. */
export function sendRequest(request: WireRequest): Promise<IncomingMessage> {
  const { url, method, body, addresses, guard, signal } = request;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const host = hostOf(url);
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(toWebError(error, url, signal));
    };
    const sent = send({
      host,
      // A name keeps its place in the certificate although the address was looked up before.
      ...(addresses[0]?.address === host ? {} : { servername: host }),
      port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
      path: url.pathname + url.search,
      method,
      headers: { host: url.host, ...request.headers },
      lookup: pinTo(addresses),
      agent: false,
      signal,
      timeout: SILENCE_LIMIT_MS,
      rejectUnauthorized: true,
      insecureHTTPParser: false,
    });
    sent.on('socket', (socket) => {
      socket.once('connect', () => {
        // The last word on where the request goes, whatever chose the address.
        if (!guard.permits(url, socket.remoteAddress ?? ''))
          sent.destroy(blocked(url, socket.remoteAddress ?? ''));
      });
    });
    sent.on('timeout', () => sent.destroy(silent(url)));
    sent.on('error', fail);
    sent.on('response', resolve);
    // One that goes over to another protocol is closed without an error.
    sent.on('close', () => fail(unanswered(url)));
    sent.end(body);
  });
}

function pinTo(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
  };
}

function blocked(url: URL, address: string): OrchestratorError {
  return new OrchestratorError('policy_denied', `${url.host} leads to ${address}, which is not permitted`);
}

function unanswered(url: URL): ToolError {
  return new ToolError('PERMANENT', `${url.host} gave no answer of HTTP`);
}

function silent(url: URL): ToolError {
  return new ToolError('TRANSIENT', `${url.host} sent nothing for ${SILENCE_LIMIT_MS} ms`);
}

/** What went wrong on the way to a server and back, with the class that says what may follow. */
export function toWebError(error: unknown, url: URL, signal: AbortSignal): Error {
  if (signal.aborted) return signal.reason as Error;
  if (error instanceof OrchestratorError) return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  const text = error instanceof Error ? error.message : String(error);
  const options = {
    details: { url: url.href, ...(code === undefined ? {} : { code }) },
    cause: error,
  };
  const isTransient = code !== undefined && TRANSIENT_CODES.has(code);
  return new ToolError(
    isTransient ? 'TRANSIENT' : 'PERMANENT',
    `${url.host}: ${text || (code ?? 'failed')}`,
    options,
  );
}

const TRANSIENT_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ECONNABORTED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
