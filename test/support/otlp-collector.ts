import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was posted to a collector. */
export interface OtlpPost {
  readonly path: string;
  readonly type: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** A span as OTLP has it in JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly events?: readonly {
    name: string;
    timeUnixNano: string;
    attributes: OtlpSpan['attributes'];
  }[];
  readonly links?: readonly { traceId: string; spanId: string; attributes: OtlpSpan['attributes'] }[];
  readonly status?: { code?: number; message?: string };
}

/** A request of OTLP in JSON that holds spans. */
export interface OtlpBody {
  readonly resourceSpans: readonly {
    resource: { attributes: OtlpSpan['attributes'] };
    scopeSpans: readonly { scope: { name: string }; spans: readonly OtlpSpan[] }[];
  }[];
}

/** A collector on loopback: its URL, and what was posted to it. */
export interface OtlpCollector {
  readonly url: string;
  readonly posts: readonly OtlpPost[];
  stop(): void;
}

/** Starts a collector, which takes everything unless it is told how to answer. */
export async function startCollector(
  respond: (response: ServerResponse) => void = (response) => response.writeHead(200).end('{}'),
): Promise<OtlpCollector> {
  const posts: OtlpPost[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url = '', headers } = request;
      posts.push({ path: url, type: headers['content-type'], headers, body: Buffer.concat(chunks) });
      respond(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What a post of spans in JSON holds. */
export function bodyOf(post: OtlpPost | undefined): OtlpBody {
  return JSON.parse(post?.body.toString() ?? '{}') as OtlpBody;
}

/** The spans of a request. */
export function spansOf(body: OtlpBody): readonly OtlpSpan[] {
  return body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
}

/** Attributes by name, their values as texts, numbers or lists of OTLP. */
export function attributesOf(pairs: OtlpSpan['attributes'] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
