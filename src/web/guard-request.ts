import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is turned away, as an HTTP status and a sentence. */
export interface Refusal {
  readonly status: 400 | 403 | 404 | 405;
  readonly message: string;
}

/**
 * Why a request for a path may not be answered, or null: it must be meant for this server by its own name, come from no other
 * origin, and know the token. What does not know the token learns nothing else.
 */
export function refuseRequest(
  request: IncomingMessage,
  parts: readonly string[],
  port: number,
  token: string,
): Refusal | null {
  const { host, origin, 'sec-fetch-site': site } = request.headers;
  const names = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !names.includes(host)) {
    return { status: 403, message: 'This server answers to its own name alone.' };
  }
  if (
    (origin !== undefined && origin !== `http://${host}`) ||
    site === 'cross-site' ||
    site === 'same-site'
  ) {
    return { status: 403, message: 'Another origin may not ask this server for anything.' };
  }
  if (!knowsToken(parts[0] ?? '', token)) return { status: 404, message: 'There is nothing here.' };
  const { method } = request;
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    return { status: 405, message: 'Only GET and POST are answered.' };
  }
  if (method !== 'POST') return null;
  if (origin === undefined) return { status: 403, message: 'An answer must say from where it comes.' };
  const isJson = request.headers['content-type']?.split(';')[0]?.trim() === 'application/json';
  return isJson ? null : { status: 400, message: 'An answer is JSON.' };
}

function knowsToken(part: string, token: string): boolean {
  const given = Buffer.from(part);
  const known = Buffer.from(token);
  return given.length === known.length && timingSafeEqual(given, known);
}
