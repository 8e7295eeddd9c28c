import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { orchestrate } from '../../src/index.ts';
import { SqliteMemoryStore } from '../../src/memory/sqlite-store.ts';
import { echoTool, node } from '../support/core.ts';
import { temporaryFolder } from '../support/flight-events.ts';
import { drawing } from '../support/remembering.ts';

const JITI = join(createRequire(import.meta.url).resolve('jiti/package.json'), '..', 'lib', 'jiti-cli.mjs');
const CHILD = fileURLToPath(new URL('../support/remembering-child.ts', import.meta.url));

/** Kills the child at the end of a run, while that is being remembered; says which runs had returned. */
async function killWhileRemembering(folder: string, name: string, killAt: number): Promise<string[]> {
  const child = spawn(process.execPath, [JITI, CHILD, folder, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const returned: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    const [what, run] = line.split(' ');
    if (what === 'returned') returned.push(`${name}-${run ?? ''}`);
    if (line === `finished ${killAt}`) child.kill('SIGKILL');
  }
  return returned;
}

describe('a process that is killed while it remembers a run', () => {
  it('has kept every run that had returned, and of the last one all or nothing', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'memory.db');
    const returned: string[] = [];
    for (const [round, killAt] of [1, 3].entries()) {
      returned.push(...(await killWhileRemembering(folder, `round${round}`, killAt)));
      const store = new SqliteMemoryStore({ path, warn: (message) => expect.fail(message) });
      const { entries } = await store.list({ scope: 'default', limit: 1000 });
      await store.close();
      const ofRun = (run: string): number =>
        entries.filter(({ record }) => record.provenance.run === run).length;
      for (const run of returned) expect([run, ofRun(run)]).toEqual([run, 5]);
      expect([0, 5]).toContain(ofRun(`round${round}-${killAt}`));
    }
    expect(returned.length).toBeGreaterThanOrEqual(2);
    const database = new Database(path, { readonly: true });
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
    // What is there serves the next run.
    const recalled: string[] = [];
    const { status } = await orchestrate({
      task: {
        ...{ name: 'next', goal: 'Weigh the moss.', verify: { judge: 'off' } },
        memory: { similarity: 'words' },
      },
      ...{ tools: [echoTool()], provider: drawing(node('a')), runsFolder: folder, workspace: folder },
      onEvent: (event) => {
        if (event.type === 'memory.recalled')
          recalled.push(...event.included.map(({ from }) => from.run ?? ''));
      },
    });
    expect(status).toBe('unverified');
    expect(recalled.some((run) => returned.includes(run))).toBe(true);
  });
});
