/* A server that a run has started, with what it has started itself, does not outlive the run that is killed. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';
import { expectGone, familyOf, familyScript } from '../support/family.ts';
import { temporaryFolder } from '../support/flight-events.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const HOSTILE = fileURLToPath(new URL('../fixtures/mcp/hostile-server.mjs', import.meta.url));
const MOCK = fileURLToPath(new URL('../fixtures/cli/mock.ts', import.meta.url));

/** A run whose server has a child, a grandchild and one that left it, and that waits in a call for ever. */
function taskOf(folder: string): string {
  const server = `node ${HOSTILE} plain & ${familyScript(folder, { isDeaf: true })}`;
  // The program that the run has started is the shell; the server itself answers in its place.
  const script = `exec 4<&0; ( ${familyScript(folder, { isDeaf: true })} ) & exec node "${HOSTILE}" plain <&4`;
  void server;
  return JSON.stringify({
    ...{ name: 'killed', goal: 'Wait.', provider: MOCK, verify: { judge: 'off' } },
    inputs: { plan: { nodes: [{ id: 'wait', tool: 'evil__stall', args: {} }], output: 'wait' } },
    mcp: { evil: { command: 'sh', args: ['-c', script], effect: 'read', openWorld: false } },
  });
}

describe('an MCP server over stdio', () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is gone with all its descendants after a %s of the run in the middle of a call',
    async (signal) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'task.json'), taskOf(folder));
      const run = spawn(process.execPath, [CLI, 'run', 'task.json', '--run-id', 'r1'], {
        ...{ cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
      });
      const family = await familyOf(folder);
      run.kill(signal);
      await expectGone(family);
    },
  );
});
