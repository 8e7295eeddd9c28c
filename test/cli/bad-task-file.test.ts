import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand, SCRIPTED, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const HEAD = 'name: t\ngoal: g\ntools: [do_nothing]\nprovider: ./mock.ts\n';

describe('check of a file that is not there', () => {
  it('says how to get one', async () => {
    const { exitCode, stdout, stderr } = await runCommand(folder, ['check', 'none.yaml']);
    expect([exitCode, stdout]).toEqual([2, 'none.yaml: no such file\n']);
    expect(stderr).toContain('orchestrate init');
  });
});

describe('an input as an option of its own', () => {
  it.each(['--input.text=x', '--inputs.text=x'])('%s is read', async (option) => {
    const { stdout, stderr } = await runCommand(folder, ['check', SCRIPTED, option]);
    expect(stdout + stderr).toContain('the task has no input "text"');
    expect(stderr).not.toContain('there is no option');
  });
});

describe('run with a file that is no task', () => {
  it.each<[string, string | Buffer, string]>([
    ['empty', '', '1:1: the file is empty'],
    ['binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe, 0, 1]), '1:1: not UTF-8'],
    ['tabs', 'name: t\n\tgoal: g\n', '2:1: a tab'],
    ['twice', `${HEAD}name: again\n`, '5:1 name: '],
    ['anchors', `${HEAD}x: &x { a: 1 }\n`, '5:1 x: unknown key'],
    ['huge', `${HEAD}# ${'x'.repeat(10 * 1024 * 1024)}\n`, '1:1: larger than'],
  ])('(%s) exits 2, says where and what, and begins no run', async (name, content, problem) => {
    const file = `${name}.yaml`;
    writeFileSync(join(folder, file), content);
    const { exitCode, stdout, stderr } = await runCommand(folder, ['run', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`${file}:${problem}`);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe('');
  });
});
