/* What the commands say of runs that go on, are left, or were decided by other rules. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { planOf, runCommand, SCRIPTED, startCommand, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

describe('a run that goes on, and one whose process died', () => {
  it('are called so by show and by runs alike, and the one that is held says who holds it', async () => {
    const { child, ended, sees } = startCommand(folder, [
      'run',
      SCRIPTED,
      planOf('wait', '30000'),
      '--run-id',
      'left',
    ]);
    await sees('level     0');
    await delay(200);
    expect((await runCommand(folder, ['show', 'left'])).stdout).toMatch(/^scripted +running$/m);
    expect((await runCommand(folder, ['runs'])).stdout).toMatch(/^left +running /m);
    const held = await runCommand(folder, ['resume', 'left']);
    expect(held).toMatchObject({ exitCode: 1, stdout: '' });
    expect(held.stderr).toContain(`run left is held by process ${child.pid ?? ''}`);
    child.kill('SIGKILL');
    await ended;
    expect((await runCommand(folder, ['show', 'left'])).stdout).toMatch(/^scripted +unfinished$/m);
    expect((await runCommand(folder, ['runs'])).stdout).toMatch(/^left +unfinished /m);
    const shown = JSON.parse((await runCommand(folder, ['show', 'left', '--json'])).stdout) as {
      status: string;
    };
    expect(shown.status).toBe('unfinished');
  });
});

describe('a question that nobody answered in time', () => {
  it('is told as such, with the command that goes on', async () => {
    const given = [planOf('erase', 'x'), '--policy.approvalTimeoutSeconds=0.05', '--run-id', 'late'];
    expect((await runCommand(folder, ['run', SCRIPTED, ...given, '--runs-folder', 'lates'])).exitCode).toBe(
      5,
    );
    await delay(100);
    const { stdout } = await runCommand(folder, ['approvals', '--runs-folder', 'lates']);
    expect(stdout).toContain('ago; the time to answer is over, so it counts as denied');
    expect(stdout).toContain('Next: orchestrate resume late --runs-folder lates\n');
  });
});

describe('a log that other rules decided', () => {
  it('is not called the same: it was not recomputed, which is an error where the proof is asked for', async () => {
    await runCommand(folder, ['run', SCRIPTED, '--run-id', 'older']);
    await runCommand(folder, ['export', 'older', '--out', 'older.json']);
    const file = join(folder, 'older.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"rules":1,', '"rules":77,'));
    const others = ['--runs-folder', 'others'];
    expect((await runCommand(folder, ['import', 'older.json', ...others])).exitCode).toBe(0);
    const read = await runCommand(folder, ['replay', 'older', ...others]);
    expect(read.exitCode).toBe(0);
    expect(read.stdout).toMatch(
      /^warning: events 0 to \d+ were decided by rules 77, which this version cannot/,
    );
    expect(read.stdout).toMatch(/^not recomputed: \d+ events were read, and none was decided again$/m);
    expect(read.stdout).not.toContain('same');
    expect((await runCommand(folder, ['replay', 'older', '--strict', ...others])).exitCode).toBe(1);
    const resumed = await runCommand(folder, ['resume', 'older', '--retry-failed', ...others]);
    expect(resumed).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('rules 77') as string });
  });
});

describe('a runs folder that is a file', () => {
  it('is named, with what to do', async () => {
    writeFileSync(join(folder, 'a-file'), '');
    for (const command of [['runs'], ['approvals'], ['show', 'last'], ['run', SCRIPTED]]) {
      const { exitCode, stderr } = await runCommand(folder, [...command, '--runs-folder', 'a-file']);
      expect(exitCode).toBe(2);
      expect(stderr).toBe(
        `error: ${join(folder, 'a-file')} is not a folder: runs are kept in one\nName a folder with --runs-folder.\n`,
      );
    }
  });
});

describe('an empty run id', () => {
  it.each([['--run-id='], ['--run-id', '']])('%j is refused', async (...words) => {
    const { exitCode, stderr } = await runCommand(folder, ['run', SCRIPTED, ...words]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('"" cannot be a run id');
  });
});
