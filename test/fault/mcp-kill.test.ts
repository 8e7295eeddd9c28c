/* A server that a run has started, with what it has started itself, does not outlive the run that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findProcessHold } from '../../src/tools/control-groups.ts';
import { expectGone, familyOf, familyScript, isAlive } from '../support/family.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const HOSTILE = fileURLToPath(new URL('../fixtures/mcp/hostile-server.mjs', import.meta.url));
const MOCK = fileURLToPath(new URL('../fixtures/cli/mock.ts', import.meta.url));

/** Whether those that shed their environment are found as well. */
const HEIRS = (await findProcessHold()) === null ? [false] : [false, true];

/** A task whose server has a child, a grandchild and one that left it, and calls a tool of it. */
function taskOf(folder: string, isBare: boolean, tool = 'silent'): string {
  // The shell becomes the server, so that the leader of the family is the server itself.
  const family = `(${familyScript(folder, { isDeaf: true, isBare })}) & `;
  const server = `exec "${process.execPath}" "${HOSTILE}" plain "${join(folder, 'server')}"`;
  return JSON.stringify({
    ...{ name: 'killed', goal: 'Wait.', provider: MOCK, verify: { judge: 'off' } },
    inputs: { plan: { nodes: [{ id: 'wait', tool: `evil__${tool}`, args: {} }], output: 'wait' } },
    mcp: { evil: { command: 'sh', args: ['-c', `${family}${server}`], effect: 'read', openWorld: false } },
  });
}

function start(folder: string, args: readonly string[]): { child: ChildProcess; ended: Promise<unknown> } {
  const child = spawn(process.execPath, [CLI, ...args], {
    ...{ cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
  });
  return { child, ended: new Promise((resolve) => child.once('close', resolve)) };
}

describe.each(HEIRS)('an MCP server over stdio (a descendant with an empty environment: %s)', (isBare) => {
  it.each(['SIGKILL', 'SIGINT'] as const)(
    'is gone with all its descendants after a %s of the run in the middle of a call',
    async (signal) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'task.yaml'), taskOf(folder, isBare));
      const { child, ended } = start(folder, ['run', 'task.yaml', '--run-id', 'r1']);
      const family = await familyOf(folder);
      await expect.poll(() => existsSync(join(folder, 'server.called')), { timeout: 20_000 }).toBe(true);
      child.kill(signal);
      expect(await ended).toBe(signal === 'SIGINT' ? 130 : null);
      await expectGone(family);
    },
  );

  it.each([
    ['a run', ['run', 'task.yaml', '--run-id', 'r1']],
    ['tools --check', ['tools', 'task.yaml', '--check']],
  ])('is gone with all its descendants when %s has ended', async (_, args) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'task.yaml'), taskOf(folder, isBare, 'good'));
    const { ended } = start(folder, args);
    const family = await familyOf(folder);
    expect(await ended).toBe(0);
    expect(family.filter(isAlive)).toEqual([]);
  });
});
