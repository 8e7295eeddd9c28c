/* What `tools --check` says of MCP servers, and what a run says of tools that changed since the one before. */
import { writeFileSync } from 'node:fs';
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
