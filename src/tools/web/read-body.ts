import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ToolError } from '../../kernel/errors.ts';
import type { HttpAnswer } from './http-client.ts';
import { toWebError } from './send-request.ts';

const MAX_ENCODINGS = 2;

/** The body of an answer, or its beginning. */
export interface HttpBody {
  readonly bytes: Buffer;
  /** Whether there was more than was read. */
  readonly isCut: boolean;
}

/** The body of an answer, unpacked, up to `maxBytes`; the rest is neither read nor kept. */
export async function readBody(answer: HttpAnswer, maxBytes: number): Promise<HttpBody> {
  const chunks: Buffer[] = [];
  let total = 0;
  let isCut = false;
  for await (const chunk of bodyChunks(answer, maxBytes)) {
    const left = maxBytes - total;
    chunks.push(chunk.length > left ? chunk.subarray(0, left) : chunk);
    total += chunk.length;
    isCut = total > maxBytes;
    if (isCut) break;
  }
  return { bytes: Buffer.concat(chunks), isCut };
}

/**
 * The body of an answer in pieces, unpacked; it ends the connection when it is left. Throws a ToolError where it breaks
 * off, and where more than `maxWireBytes` come without being unpacked to as much.
 */
export async function* bodyChunks(answer: HttpAnswer, maxWireBytes: number): AsyncGenerator<Buffer> {
  const { stream, url, signal } = answer;
  const unpacked = unpack(answer, maxWireBytes);
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
    if (!stream.complete)
      throw new ToolError('TRANSIENT', `${url.host} broke off in the middle of its answer`);
  } catch (error) {
    throw toWebError(error, url, signal);
  } finally {
    unpacked.destroy();
    stream.destroy();
  }
}

function unpack({ stream, headers, url }: HttpAnswer, maxWireBytes: number): Readable {
  const encodings = (headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  if (encodings.length > MAX_ENCODINGS) {
    stream.destroy();
    throw new ToolError('PERMANENT', `${url.host} packed its answer ${encodings.length} times`);
  }
  const steps = encodings.reverse().map((encoding) => unpackerOf(encoding, url));
  let wireBytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      wireBytes += chunk.length;
      // Packed data that unpacks to nothing would otherwise go on for ever.
      if (steps.length > 0 && wireBytes > maxWireBytes + 65_536) {
        done(new ToolError('PERMANENT', `${url.host} sends more than ${maxWireBytes} bytes`));
      } else done(null, chunk);
    },
  });
  const chain = [count, ...steps];
  const last = chain.at(-1) ?? count;
  pipeline([stream, ...chain], () => {
    // Whatever breaks is seen by the one who reads the last of the chain.
  });
  return last;
}

function unpackerOf(encoding: string, url: URL): Transform {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    case 'deflate':
      return createInflate();
    case 'deflate-raw':
      return createInflateRaw();
    default:
      throw new ToolError(
        'PERMANENT',
        `${url.host} packed its answer as ${encoding}, which was not asked for`,
      );
  }
}
