import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { planOf, runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

beforeAll(async () => {
  await runCommand(folder, ['run', SCRIPTED, '--run-id', 'good']);
  await runCommand(folder, ['run', SCRIPTED, '--run-id', 'bad', planOf('fail', 'broken')]);
});

describe('orchestrate show', () => {
  it('shows nodes, timeline, budget and verdict', async () => {
    const { exitCode, stdout, stderr } = await runCommand(folder, ['show', 'good']);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^scripted +verified$/m);
    expect(stdout).toMatch(/^report +say +done +1 /m);
    expect(stdout).toMatch(/^report +█+ +(?:\d+|<1) ms$/m);
    expect(stdout).toMatch(/^tool calls +1 +20 /m);
    expect(stdout).toMatch(/^verdict +pass \(judge, score 1\)$/m);
    expect(stdout).toContain('\nNext: orchestrate replay good\n');
  });

  it('prints its data with --json', async () => {
    const { stdout } = await runCommand(folder, ['show', 'bad', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ runId: 'bad', status: 'failed' });
  });

  it('names what to do about a run that is not there', async () => {
    const { exitCode, stderr } = await runCommand(folder, ['show', 'nowhere']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('orchestrate runs');
  });

  it('is silent when its reader has seen enough', async () => {
    const cli = join(import.meta.dirname, '../../dist/cli.cjs');
    const child = spawn(
      'bash',
      ['-c', `set -o pipefail; "${process.execPath}" "${cli}" show good | head -1`],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    const exitCode = await new Promise((resolve) => child.once('close', resolve));
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(0);
  });
});

describe('orchestrate why', () => {
  it('tells the chain of events behind an ending', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['why', 'bad']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('broken');
  });

  it('tells it of one node, and names the nodes where there is none of that name', async () => {
    const told = await runCommand(folder, ['why', 'bad', 'report']);
    expect(told.stdout).toContain('report');
    const refused = await runCommand(folder, ['why', 'bad', 'reprot']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('report');
  });
});

describe('orchestrate replay', () => {
  it('reproduces a run by id and by the path of its log', async () => {
    for (const run of ['good', 'bad', '.orchestrate/runs/good/flight.jsonl']) {
      const { exitCode, stdout } = await runCommand(folder, ['replay', run, '--strict']);
      expect(stdout).toMatch(/^same: \d+ events/);
      expect(exitCode).toBe(0);
    }
  });
});

describe('orchestrate runs', () => {
  it('lists what is there', async () => {
    const { stdout } = await runCommand(folder, ['runs']);
    expect(stdout).toMatch(/^good +verified .* scripted$/m);
    expect(stdout).toMatch(/^bad +failed .* scripted$/m);
  });

  it('says what to do where there is none', async () => {
    const { exitCode, stdout } = await runCommand(folder, ['runs', '--runs-folder', 'nothing-here']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('Next: orchestrate init');
  });

  it('removes nothing without a reason, and nothing without consent', async () => {
    const aimless = await runCommand(folder, ['runs', 'prune']);
    expect(aimless.exitCode).toBe(2);
    expect(aimless.stderr).toContain('--keep');
    const unasked = await runCommand(folder, ['runs', 'prune', '--keep', '0']);
    expect(unasked.exitCode).toBe(2);
    expect(unasked.stderr).toContain('Add --yes');
    const young = await runCommand(folder, ['runs', 'prune', '--older-than', '30d', '--yes']);
    expect(young.stdout).toContain('No run to remove');
    expect(readdirSync(join(folder, '.orchestrate/runs')).sort()).toEqual(['bad', 'good']);
  });

  it('never removes a run that is being written', async () => {
    const place = ['--runs-folder', 'pruned'];
    await runCommand(folder, ['run', SCRIPTED, '--run-id', 'done', ...place]);
    const busy = startCommand(folder, [
      ...['run', SCRIPTED, planOf('wait', '30000'), '--run-id', 'busy', ...place],
    ]);
    await busy.sees('level');
    const { exitCode, stdout, stderr } = await runCommand(folder, [
      'runs',
      'prune',
      '--keep',
      '0',
      '--yes',
      ...place,
    ]);
    busy.child.kill('SIGINT');
    await busy.ended;
    expect(stdout).toContain('1 run removed.');
    expect(stderr).toContain('kept busy');
    expect(exitCode).toBe(1);
    expect(readdirSync(join(folder, 'pruned'))).toEqual(['busy', 'memory.db', 'tools.json']);
  });
});
