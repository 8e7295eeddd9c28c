/* A server that a run has started, with what it has started itself, does not outlive the run that is killed. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectGone, familyOf, familyScript } from '../support/family.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const HOSTILE = fileURLToPath(new URL('../fixtures/mcp/hostile-server.mjs', import.meta.url));
const MOCK = fileURLToPath(new URL('../fixtures/cli/mock.ts', import.meta.url));

/** A task whose server has a child, a grandchild and one that left it, and never answers its call. */
function taskOf(folder: string): string {
  // The shell becomes the server, so that the leader of the family is the server itself.
  const family = `(${familyScript(folder, { isDeaf: true })}) & `;
  const server = `exec "${process.execPath}" "${HOSTILE}" plain "${join(folder, 'server')}"`;
  return JSON.stringify({
    ...{ name: 'killed', goal: 'Wait.', provider: MOCK, verify: { judge: 'off' } },
    inputs: { plan: { nodes: [{ id: 'wait', tool: 'evil__silent', args: {} }], output: 'wait' } },
    mcp: { evil: { command: 'sh', args: ['-c', `${family}${server}`], effect: 'read', openWorld: false } },
  });
}

describe('an MCP server over stdio', () => {
  it.each(['SIGKILL', 'SIGINT'] as const)(
    'is gone with all its descendants after a %s of the run in the middle of a call',
    async (signal) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'task.yaml'), taskOf(folder));
      const run = spawn(process.execPath, [CLI, 'run', 'task.yaml', '--run-id', 'r1'], {
        ...{ cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] },
      });
      const ended = new Promise((resolve) => run.once('close', resolve));
      const family = await familyOf(folder);
      await expect.poll(() => existsSync(join(folder, 'server.called')), { timeout: 20_000 }).toBe(true);
      run.kill(signal);
      expect(await ended).toBe(signal === 'SIGINT' ? 130 : null);
      await expectGone(family);
    },
  );
});
