/* What `tools --check` says of MCP servers, and what a run says of tools that changed since the one before. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runCommand, temporaryFolder } from './command.ts';

const HOSTILE = fileURLToPath(new URL('../fixtures/mcp/hostile-server.mjs', import.meta.url));
const MOCK = fileURLToPath(new URL('../fixtures/cli/mock.ts', import.meta.url));
const BASE = { goal: 'Go.', provider: MOCK, verify: { judge: 'off' } };

function writeTask(folder: string, mcp: Readonly<Record<string, object>>): void {
  writeFileSync(join(folder, 'task.yaml'), JSON.stringify({ ...BASE, name: 'checked', mcp }));
}

const server = (mode: string, more: object = {}): object => ({
  ...{ command: process.execPath, args: [HOSTILE, mode], ...more },
});

describe('orchestrate tools --check', () => {
  it('reports each server: its state, its tools, and those that cannot be called, with the reason', async () => {
    const folder = temporaryFolder();
    writeTask(folder, {
      odd: server('bad-schemas'),
      gone: { command: 'no-such-server', optional: true },
    });
    const { exitCode, stdout } = await runCommand(folder, ['tools', 'task.yaml', '--check']);
    expect(stdout).toMatch(/^odd: ready, \d+ tools/m);
    expect(stdout).toContain('odd__good');
    expect(stdout).toMatch(/quarantined odd__no_schema: \S/);
    expect(stdout).toMatch(/^gone: unavailable, 0 tools \(.*no-such-server.*\)/m);
    expect(exitCode).toBe(0);
  });

  it('fails where a server cannot be had that the task needs', async () => {
    const folder = temporaryFolder();
    writeTask(folder, { gone: { command: 'no-such-server' } });
    const { exitCode, stdout } = await runCommand(folder, ['tools', 'task.yaml', '--check', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ server: 'gone', state: 'unavailable' }] });
    expect(exitCode).toBe(1);
  });

  it('says what changed since it was pinned, until that is what is expected', async () => {
    const folder = temporaryFolder();
    // The same server, which says something else from its second start on.
    writeTask(folder, {
      evil: server('changed-on-restart', { args: [HOSTILE, 'changed-on-restart', 'starts'] }),
    });
    const check = (...more: string[]) => runCommand(folder, ['tools', 'task.yaml', '--check', ...more]);
    const first = await check();
    expect([first.exitCode, first.stdout]).toEqual([0, expect.stringContaining('pinned for the first time')]);
    const second = await check();
    expect([second.exitCode, second.stdout]).toEqual([
      1,
      expect.stringContaining('changed evil__good: its description'),
    ]);
    expect((await check('--pin')).exitCode).toBe(0);
    expect(await check()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('as it was pinned') as string,
    });
  });
});

describe('orchestrate tools --check of what is no server', () => {
  const tool = (name: string, description: string): string =>
    `export const ${name} = defineTool({ name: '${name}', description: '${description}', input: { type: 'object' },
      costHint: 1, effect: 'read', run: () => 'hello' });`;
  const write = (folder: string, ...tools: string[]): void => {
    writeFileSync(join(folder, 'tools.ts'), `import { defineTool } from 'sortie';\n${tools.join('\n')}`);
    const task = { ...BASE, name: 'own', tools: ['./tools.ts', 'do_nothing'] };
    writeFileSync(join(folder, 'task.yaml'), JSON.stringify(task));
  };

  it('says what changed in modules and built-in tools since they were pinned, and fails for none of it', async () => {
    const folder = temporaryFolder();
    const check = async (...more: string[]): Promise<string> => {
      const { exitCode, stdout, stderr } = await runCommand(folder, [
        'tools',
        'task.yaml',
        '--check',
        ...more,
      ]);
      expect(exitCode, stderr).toBe(0);
      return stdout;
    };
    write(folder, tool('greet', 'Greets.'), tool('part', 'Parts.'));
    expect(await check()).toBe(
      'The task names no MCP server.\ntools of tools.ts: 2 tools\n  pinned for the first time\nbuilt-in tools: 1 tool\n  pinned for the first time\n',
    );
    expect(await check()).toBe(
      'The task names no MCP server.\ntools of tools.ts: 2 tools\n  as it was pinned\nbuilt-in tools: 1 tool\n  as it was pinned\n',
    );
    write(folder, tool('greet', 'Greets, warmly.'), tool('wave', 'Waves.'));
    const changed = 'tools of tools.ts: 2 tools\n  changed greet: its description\n  new wave\n  gone part\n';
    expect(await check()).toContain(`${changed}  the next run tells of it once more`);
    // What is new is pinned; what changed is told of until somebody takes it.
    expect(await check()).toContain('changed greet: its description\n  gone part\n');
    expect(JSON.parse(await check('--json'))).toMatchObject({
      servers: [],
      own: [
        {
          origin: 'tools of tools.ts',
          tools: ['greet', 'wave'],
          changes: { changed: [{ tool: 'greet', parts: ['description'] }], added: [], removed: ['part'] },
        },
        { origin: 'built-in tools', changes: { changed: [], added: [], removed: [] } },
      ],
    });
    expect(await check('--pin')).toContain('pinned as it is now');
    expect(await check()).toContain('tools of tools.ts: 2 tools\n  as it was pinned');
  });
});

it('no command starts a server that it does not need', async () => {
  const folder = temporaryFolder();
  const plan = { nodes: [{ id: 'a', tool: 'do_nothing', args: { reason: 'nothing to do' } }], output: 'a' };
  // The server says in a file that it was started; its tools are denied by name, or by their effect.
  const mcp = { evil: server('plain', { args: [HOSTILE, 'plain', 'starts'] }) };
  const more = { ...BASE, tools: ['do_nothing'], inputs: { plan }, mcp };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  for (const [name, policy] of Object.entries({
    named: { allow: ['do_nothing'], deny: ['evil__good'] },
    effects: { effects: ['read'] },
    open: {},
  })) {
    writeFileSync(join(folder, `${name}.yaml`), JSON.stringify({ ...more, name, policy }));
  }
  const commands = [
    ...['check open.yaml', 'schema', 'tools open.yaml', 'doctor open.yaml', 'run named.yaml --run-id first'],
    ...[
      'plan named.yaml',
      'plan effects.yaml',
      'run effects.yaml --plan plan.json',
      'run open.yaml --plan plan.json',
      'show first',
      'replay first',
    ],
  ];
  for (const command of commands) {
    const { exitCode, stderr } = await runCommand(folder, command.split(' '));
    expect([command, exitCode, stderr]).toEqual([command, 0, expect.any(String)]);
    expect([command, existsSync(join(folder, 'starts'))]).toEqual([command, false]);
  }
  // It would have been seen.
  expect((await runCommand(folder, ['plan', 'open.yaml'])).exitCode).toBe(0);
  expect(existsSync(join(folder, 'starts'))).toBe(true);
});

it('a run says once, in one line, that a tool of a module is not what it was in the run before', async () => {
  const folder = temporaryFolder();
  const tools = (description: string): string => `import { defineTool } from 'sortie';
    export const greet = defineTool({ name: 'greet', description: '${description}', input: { type: 'object' },
      costHint: 1, effect: 'read', run: () => 'hello' });`;
  const plan = { nodes: [{ id: 'a', tool: 'greet', args: {} }], output: 'a' };
  const task = { ...BASE, name: 'changed', tools: ['./tools.ts'], inputs: { plan } };
  writeFileSync(join(folder, 'task.yaml'), JSON.stringify(task));
  const run = async (description: string): Promise<string> => {
    writeFileSync(join(folder, 'tools.ts'), tools(description));
    const { exitCode, stdout, stderr } = await runCommand(folder, ['run', 'task.yaml']);
    expect(exitCode, stderr).toBe(0);
    return stdout + stderr;
  };
  const line = 'tools of tools.ts changed since a run before: greet (description)';
  expect(await run('Greets.')).not.toContain(line);
  expect(await run('Greets, warmly.')).toContain(line);
  expect(await run('Greets, warmly.')).not.toContain(line);
});
