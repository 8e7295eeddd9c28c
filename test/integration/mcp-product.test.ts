import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CallToolResult, Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/mcp-servers.ts';

const COMMAND = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));

const TOOLS = `import { defineTool } from 'sortie';
console.log('a module that prints');
export const greet = defineTool({
  name: 'greet', description: 'Greets.', costHint: 1, effect: 'read',
  input: { type: 'object', properties: { whom: { type: 'string' } }, required: ['whom'] },
  run: ({ whom }) => { console.log('a tool that prints'); process.stdout.write('and writes\\n'); return 'Hello ' + whom; },
});
export const stall = defineTool({
  name: 'stall', description: 'Never ends.', costHint: 1, effect: 'read', input: true,
  run: (_, { signal }) => new Promise((_, reject) => { signal.addEventListener('abort', () => reject(new Error('aborted'))); }),
});
export const send = defineTool({
  name: 'send', description: 'Sends.', costHint: 1, effect: 'irreversible', input: true, run: () => 'sent',
});
`;

const MOCK = `import { defineMock } from 'sortie';
const planOf = (tool, args) => JSON.stringify({ nodes: [{ id: 'only', tool, args }], output: 'only' });
export default defineMock({ roles: { planner: (request, kit) => {
  const { how, whom } = kit.section('inputs');
  return planOf(how, how === 'greet' ? { whom } : {});
} } });
`;

const TASK = `name: greeting
goal: "Use {{how}} for {{whom}}."
inputs: { how: greet, whom: Ada }
tools: [./tools.ts]
provider: ./mock.ts
verify: { judge: "off" }
limits: { graceMs: 200 }
`;

let outer = '';
let folder = '';
let client: Client;

beforeEach(async () => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), 'sortie-mcp-product-')));
  folder = join(outer, 'tasks');
  mkdirSync(folder);
  for (const [name, text] of Object.entries({ 'tools.ts': TOOLS, 'mock.ts': MOCK, 'task.yaml': TASK })) {
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(outer, 'outside.yaml'), TASK);
  client = new Client({ name: 'test', version: '0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [COMMAND, 'mcp', folder],
      cwd: outer,
      stderr: 'ignore',
    }),
  );
});

afterEach(async () => {
  await client.close();
  rmSync(outer, { recursive: true, force: true });
});

const call = (
  name: string,
  args: Record<string, unknown>,
  more: Parameters<Client['callTool']>[1] = {},
): Promise<CallToolResult> => client.callTool({ name, arguments: args }, more);

describe('orchestrate mcp', () => {
  it('offers to run a task, to plan one, and to look at a run', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['run_task', 'plan_task', 'get_run']);
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema['type']).toBe('object');
      expect(outputSchema?.['type']).toBe('object');
      for (const property of Object.values(inputSchema.properties ?? {})) {
        expect(property).toHaveProperty('description');
      }
    }
  });

  it('runs a task with progress, whatever its modules print, and keeps the run', async () => {
    const progress: { progress: number; message?: string | undefined }[] = [];
    const result = await call(
      'run_task',
      { file: 'task.yaml', inputs: { whom: 'Bob' } },
      { onprogress: (step) => progress.push(step) },
    );
    expect(result.isError).toBeUndefined();
    const told = result.structuredContent as { runId: string };
    expect(told).toMatchObject({ status: 'unverified', answer: 'Hello Bob' });
    expect(progress.map(({ message }) => message)).toEqual(
      expect.arrayContaining([`run: ${told.runId}`, 'node: only starts']),
    );
    const steps = progress.map((step) => step.progress);
    expect([...steps].sort((a, b) => a - b)).toEqual(steps);
    expect(new Set(steps).size).toBe(steps.length);
    const run = await call('get_run', { run: told.runId });
    expect(run.structuredContent).toMatchObject({
      runId: told.runId,
      status: 'unverified',
      output: 'Hello Bob',
      nodes: [{ id: 'only', tool: 'greet', status: 'done' }],
    });
    expect(existsSync(join(folder, '.orchestrate', 'runs', told.runId))).toBe(true);
  });

  it('takes an input for what it is, where the file says nothing of it', async () => {
    writeFileSync(join(folder, 'open.yaml'), TASK.replace(', whom: Ada', ''));
    for (const whom of ['[draft] moss', '{"a": 1}', 'a,b', '1', 'true', 'x=y']) {
      const { structuredContent } = await call('run_task', { file: 'open.yaml', inputs: { whom } });
      expect(structuredContent).toMatchObject({ answer: `Hello ${whom}` });
    }
  });

  it('refuses an input that the task does not have, by its name', async () => {
    const { isError, content } = await call('run_task', { file: 'task.yaml', inputs: { 'whom=x': 'y' } });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('the task has no input');
  });

  it('draws a plan without calling a tool', async () => {
    const { structuredContent } = await call('plan_task', { file: 'task.yaml' });
    expect(structuredContent).toMatchObject({
      ok: true,
      plan: { nodes: [{ tool: 'greet', args: { whom: 'Ada' } }] },
    });
  });

  it('ends a run that is cancelled, so that it can be taken up again', async () => {
    const controller = new AbortController();
    let runId = '';
    const running = call(
      'run_task',
      { file: 'task.yaml', inputs: { how: 'stall' } },
      {
        signal: controller.signal,
        onprogress: ({ message }) => {
          if (message?.startsWith('run: ') === true) runId = message.slice(5);
          if (message === 'node: only starts') controller.abort();
        },
      },
    );
    await expect(running).rejects.toThrow();
    await eventually(async () => {
      const { structuredContent } = await call('get_run', { run: runId });
      return (structuredContent as { status?: unknown } | undefined)?.status === 'interrupted';
    });
  });

  it('asks nobody: a call that needs consent is not made, and the run waits', async () => {
    const { structuredContent, isError } = await call('run_task', {
      file: 'task.yaml',
      inputs: { how: 'send' },
    });
    expect(structuredContent).toMatchObject({ status: 'waiting', answer: null });
    expect(isError).toBeUndefined();
  });

  it.each([
    ['../outside.yaml', /outside of the folder/],
    ['/etc/passwd', /outside of the folder/],
    ['nothing.yaml', /no such file/],
    ['mock.ts', /./],
  ])('refuses %s in words that the caller can act on', async (file, message) => {
    const { isError, content } = await call('run_task', { file });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toMatch(message);
  });

  it('says that there is no such run', async () => {
    const { isError, content } = await call('get_run', { run: 'never' });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toContain('orchestrate runs');
  });

  it('ends, and says why, where it is sent a message without end', async () => {
    const server = spawn(process.execPath, [COMMAND, 'mcp', folder], { stdio: ['pipe', 'ignore', 'pipe'] });
    let printed = '';
    server.stderr.on('data', (text: Buffer) => {
      printed += text.toString();
    });
    // What is left to be written when it has ended cannot be.
    server.stdin.on('error', () => undefined);
    server.stdin.write('{"jsonrpc": "1.0"}\n');
    server.stdin.write('x'.repeat(12 * 1024 * 1024));
    expect(await new Promise((resolve) => server.once('exit', resolve))).toBe(1);
    expect(printed).toMatch(/^orchestrate mcp: .*\norchestrate mcp: .*exceeded maximum size.*\n$/);
  });

  it('ends well where its client hangs up', async () => {
    const server = spawn(process.execPath, [COMMAND, 'mcp', folder], { stdio: ['pipe', 'ignore', 'ignore'] });
    server.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    setTimeout(() => server.stdin.end(), 1000);
    expect(await new Promise((resolve) => server.once('exit', resolve))).toBe(0);
  });

  it('speaks the protocol of 2026 too', async () => {
    const modern = new Client(
      { name: 'test', version: '0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await modern.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [COMMAND, 'mcp', folder],
        stderr: 'ignore',
      }),
    );
    const { structuredContent } = await modern.callTool({
      name: 'run_task',
      arguments: { file: 'task.yaml' },
    });
    expect(structuredContent).toMatchObject({ answer: 'Hello Ada' });
    await modern.close();
  });
});
