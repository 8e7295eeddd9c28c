import { sha256 } from '../../kernel/hash.ts';

/** Longest name of a tool that every provider takes. */
const MAX_CHARS = 64;
const DIGEST_CHARS = 12;

/** Between the server and the tool; no name of a server holds it, or ends in a part of it. */
export const SERVER_SEPARATOR = '__';

/**
 * The name of a server's tool in the catalogue: at most 64 of A-Z, a-z, 0-9, _ and -, the same in every run. Names that
 * had to be changed, or look as if they had been, end in a digest of the whole, so that two tools do not share one.
 */
export function mcpToolName(server: string, tool: string): string {
  const plain = `${server}${SERVER_SEPARATOR}${tool}`;
  if (/^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= MAX_CHARS && !/_[0-9a-f]{12}$/.test(plain))
    return plain;
  const digest = sha256(JSON.stringify([server, tool])).slice(0, DIGEST_CHARS);
  const readable = plain.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, MAX_CHARS - DIGEST_CHARS - 1);
  return `${readable}_${digest}`;
}

/** The server, of those given, whose tools have names like this one; undefined where it is of none. */
export function serverOfName(name: string, servers: readonly string[]): string | undefined {
  const server = name.split(SERVER_SEPARATOR, 1)[0] ?? '';
  return name.includes(SERVER_SEPARATOR) && servers.includes(server) ? server : undefined;
}
