import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';

const { resolve } = createRequire(import.meta.url);

/** The server that shows everything of the protocol, over streamable HTTP. */
export interface EverythingServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts it on a port, or on a free one; resolves when it listens. */
export async function startEverything(port?: number): Promise<EverythingServer> {
  const chosen = port ?? (await freePort());
  const program = resolve('@modelcontextprotocol/server-everything/dist/index.js');
  const child = spawn(process.execPath, [program, 'streamableHttp'], {
    env: { ...process.env, PORT: String(chosen) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((settle) => child.once('exit', () => settle()));
  await new Promise<void>((settle, reject) => {
    let printed = '';
    child.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      if (printed.includes('listening')) settle();
    });
    void ended.then(() => reject(new Error(`it ended: ${printed}`)));
  });
  return {
    url: `http://127.0.0.1:${chosen}/mcp`,
    port: chosen,
    close: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((settle, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => settle(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
