import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CITY_COMPARE, runCommand, SCRIPTED, temporaryFolder } from './command.ts';

describe('orchestrate run, and run again', () => {
  it('fails on Atlantis, and the second time plans around it', async () => {
    const folder = temporaryFolder();
    const run = (...more: string[]) =>
      runCommand(folder, ['run', CITY_COMPARE, '--input', 'cities=Lima,Atlantis', ...more]);
    const first = await run();
    expect(first.stdout).toMatch(/failed +population_atlantis/);
    expect(first.stdout).not.toContain('recalled');
    expect(existsSync(join(folder, '.orchestrate', 'memory.db'))).toBe(true);

    const second = await run();
    expect(second.stdout).toMatch(/recalled +\d+ memories for plan\/1$/m);
    expect(second.stdout).not.toMatch(/failed +population_atlantis/);
    expect(second.stdout).not.toMatch(/attempt +1 of /);
    expect(second.stderr).toBe('');

    const show = await runCommand(folder, ['show', 'last']);
    expect(show.stdout).toMatch(/^memory +\d+ entries of 1 run recalled for \d model calls$/m);
    const why = await runCommand(folder, ['why', 'last']);
    expect(why.stdout).toMatch(/the planner was shown \d memories of "\S+"/);
    const replay = await runCommand(folder, ['replay', 'last', '--strict']);
    expect(replay.stdout).toMatch(/^same: \d+ events/);

    const without = await run('--memory.enabled=false');
    expect(without.stdout).toMatch(/failed +population_atlantis/);
  });

  it('keeps what it remembers where the task says, and beside other folders of runs', async () => {
    const folder = temporaryFolder();
    await runCommand(folder, ['run', SCRIPTED, '--runs-folder', 'elsewhere']);
    expect(existsSync(join(folder, 'elsewhere', 'memory.db'))).toBe(true);
    const path = join(folder, 'kept.db');
    await runCommand(folder, ['run', SCRIPTED, `--memory.path=${path}`]);
    expect(existsSync(path)).toBe(true);
    expect(existsSync(join(folder, '.orchestrate', 'memory.db'))).toBe(false);
  });
});
