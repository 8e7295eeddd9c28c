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
    const handle = serveStdio(() => createMcpServer(host), {
      transport: new StdioServerTransport(process.stdin, protocol),
      onerror: (error) => process.stderr.write(`orchestrate mcp: ${error.message}\n`),
    });
    await new Promise<void>((settle) => {
      process.stdin.once('close', settle);
      process.stdin.once('end', settle);
      const interrupt = listenForInterrupt(
        () => {
          interrupt.dispose();
          settle();
        },
        () => undefined,
      );
    });
    ending.abort();
    await Promise.all(runs);
    await handle.close();
    return 0;
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
