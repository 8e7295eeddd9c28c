import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { listenForInterrupt } from '../interrupt.ts';

/** Serves the product over stdio to an MCP client, until the client hangs up. */
export const mcpCommand: Command = {
  positionals: { folder: { type: 'string', describe: 'Folder of the task files (default: this one)' } },
  options: { ...SHARED_OPTIONS.runsFolder },
  examples: [
    [
      'orchestrate mcp tasks',
      'What an MCP client starts: "command": "orchestrate", "args": ["mcp", "tasks"]',
    ],
  ],
  async run(args, io) {
    const folder = resolve(args.text('folder') ?? '.');
    const runsFolder = args.text('runs-folder') ?? join(folder, '.orchestrate', 'runs');
    const [{ serveStdio, StdioServerTransport }, { createMcpServer }] = await Promise.all([
      import('@modelcontextprotocol/server/stdio'),
      import('../mcp-server.ts'),
    ]);
    const protocol = keepStandardOutput();
    const ending = new AbortController();
    const runs = new Set<Promise<unknown>>();
    const onRun = (run: Promise<unknown>): void => {
      const settled: Promise<unknown> = run.then(
        () => runs.delete(settled),
        () => runs.delete(settled),
      );
      runs.add(settled);
    };
    const host = { folder, runsFolder, env: io.env, signal: ending.signal, onRun };
    const transport = new StdioServerTransport(process.stdin, protocol);
    const handle = serveStdio(() => createMcpServer(host), {
      transport,
      onerror: ({ message }) => process.stderr.write(`orchestrate mcp: ${onOneLine(message)}\n`),
    });
    const exitCode = await new Promise<number>((settle) => {
      const hangUp = (): void => settle(0);
      process.stdin.once('close', hangUp);
      process.stdin.once('end', hangUp);
      const interrupt = listenForInterrupt(
        () => {
          interrupt.dispose();
          hangUp();
        },
        () => undefined,
      );
      // A message that is too long ends the connection, without an end of the input.
      const close = transport.onclose;
      transport.onclose = () => {
        close?.();
        settle(process.stdin.readableEnded || process.stdin.destroyed ? 0 : 1);
      };
    });
    ending.abort();
    await Promise.all(runs);
    await handle.close();
    return exitCode;
  },
};

/** The standard output for the protocol alone; whatever else would be written there goes to the standard error. */
function keepStandardOutput(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error ?? null));
    },
  });
}

/** What is no message of the protocol is told of at length. */
function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
