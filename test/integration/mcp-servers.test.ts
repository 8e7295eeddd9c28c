import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startEverything } from '../support/everything-server.ts';
import { eventually, McpWorld } from '../support/mcp-servers.ts';

const { resolve } = createRequire(import.meta.url);
const program = (name: string): string => resolve(`@modelcontextprotocol/${name}/dist/index.js`);
const stdio = (name: string, args: string[] = [], more: object = {}) => ({
  ...{ command: process.execPath, args: [program(name), ...args] },
  ...more,
});

let world: McpWorld | null = null;

afterEach(async () => {
  await world?.close();
  world = null;
});

it('server-filesystem reads and writes in the folder that it is given, and nowhere else', async () => {
  world = new McpWorld({ files: stdio('server-filesystem', ['.'], { trustAnnotations: true }) });
  mkdirSync(join(world.folder, 'docs'));
  writeFileSync(join(world.folder, 'docs', 'a.md'), '# A\n');
  await world.open();
  expect(world.servers.reports()).toMatchObject([{ state: 'ready', quarantined: [] }]);
  const effects = new Map(world.servers.tools().map(({ spec }) => [spec.name, spec.effect]));
  expect(effects.get('files__read_text_file')).toBe('read');
  expect(effects.get('files__write_file')).toBe('irreversible');
  expect(await world.call('files__read_text_file', { path: 'docs/a.md' })).toEqual({ content: '# A\n' });
  await world.call('files__write_file', { path: 'docs/b.md', content: 'B' });
  expect(readFileSync(join(world.folder, 'docs', 'b.md'), 'utf8')).toBe('B');
  await expect(world.call('files__read_text_file', { path: '/etc/passwd' })).rejects.toMatchObject({
    code: 'tool_misuse',
  });
});

it('server-filesystem writes nothing that its annotations vouch for, unless the task trusts them', async () => {
  world = await new McpWorld({ files: stdio('server-filesystem', ['.']) }).open();
  const cautions = new Set(
    world.servers.tools().map(({ spec }) => `${spec.effect} ${String(spec.openWorld)}`),
  );
  expect([...cautions]).toEqual(['irreversible true']);
});

it('server-memory keeps what it is told, and its results meet their schemas', async () => {
  world = new McpWorld({ graph: stdio('server-memory', [], { env: { MEMORY_FILE_PATH: '/nowhere' } }) });
  await world.close();
  world = new McpWorld({ graph: stdio('server-memory') });
  const file = join(world.folder, 'memory.jsonl');
  await world.close();
  world = new McpWorld({ graph: stdio('server-memory', [], { env: { MEMORY_FILE_PATH: file } }) });
  mkdirSync(join(file, '..'), { recursive: true });
  await world.open();
  const entities = [{ name: 'Osaka', entityType: 'city', observations: ['has a castle'] }];
  expect(await world.call('graph__create_entities', { entities })).toEqual({ entities });
  expect(await world.call('graph__search_nodes', { query: 'castle' })).toMatchObject({
    entities,
    relations: [],
  });
  expect(readFileSync(file, 'utf8')).toContain('Osaka');
});

it('server-everything shows progress, is cancelled, gives structured results, and lists its tools', async () => {
  world = await new McpWorld({ all: stdio('server-everything', ['stdio'], { timeoutMs: 1000 }) }).open();
  const [report] = world.servers.reports();
  expect(report?.state).toBe('ready');
  expect(await world.call('all__echo', { message: 'hello' })).toBe('Echo: hello');
  expect(await world.call('all__get-sum', { a: 2, b: 3 })).toContain('5');
  // Longer than the time of a call without a sign of progress.
  const long = await world.call('all__trigger-long-running-operation', { duration: 2, steps: 8 });
  expect(long).toContain('completed');
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 200);
  await expect(
    world.call(
      'all__trigger-long-running-operation',
      { duration: 20, steps: 80 },
      { signal: controller.signal },
    ),
  ).rejects.toMatchObject({ code: 'aborted' });
  const weather = await world.call('all__get-structured-content', { location: 'New York' });
  expect(weather).toMatchObject({ temperature: expect.any(Number) as number });
  const image = await world.call('all__get-tiny-image');
  expect(image).toEqual(
    expect.arrayContaining([expect.objectContaining({ type: 'image', mimeType: 'image/png' })]),
  );
});

it('server-everything works over streamable HTTP, and is taken up again after it was gone', async () => {
  const first = await startEverything();
  world = await new McpWorld({ all: { url: first.url } }).open();
  expect(world.servers.reports()).toMatchObject([{ state: 'ready' }]);
  expect(await world.call('all__echo', { message: 'hello' })).toBe('Echo: hello');
  await first.close();
  await expect(world.call('all__echo', { message: 'gone' })).rejects.toMatchObject({ retry: 'TRANSIENT' });
  const second = await startEverything(first.port);
  try {
    const current = world;
    await eventually(() =>
      current.call('all__echo', { message: 'again' }).then(
        (value) => value === 'Echo: again',
        () => false,
      ),
    );
  } finally {
    await second.close();
  }
});

it('a server that cannot be reached, or refuses the key, says so', async () => {
  const env = { ...process.env, MCP_TEST_KEY: undefined };
  world = new McpWorld(
    {
      nobody: { url: 'http://127.0.0.1:2/mcp' },
      keyless: { url: 'http://127.0.0.1:9/mcp', headersEnv: { Authorization: 'MCP_TEST_KEY' } },
    },
    undefined,
    env,
  );
  await world.open();
  expect(world.servers.reports()).toMatchObject([
    {
      state: 'unavailable',
      reason: expect.stringMatching(/^MCP server nobody: .*ECONNREFUSED 127\.0\.0\.1:2$/) as string,
    },
    {
      state: 'unavailable',
      reason: 'MCP server keyless: MCP_TEST_KEY, for its header Authorization, is not set',
    },
  ]);
});
