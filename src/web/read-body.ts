import type { IncomingMessage } from 'node:http';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

const MOST_BYTES = 4 * 1024 * 1024;

/** The JSON that a request carries; throws `usage` where it is none, or too much. */
export async function readBody(request: IncomingMessage): Promise<Json> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // What is too much is read all the same: a connection that is cut could not say why.
    if (bytes <= MOST_BYTES) chunks.push(chunk);
  }
  if (bytes > MOST_BYTES) throw new OrchestratorError('usage', 'the answer is larger than 4 MiB');
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } catch (error) {
    throw new OrchestratorError('usage', 'the answer is no JSON', { cause: error });
  }
}
