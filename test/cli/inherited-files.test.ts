/* Files that the command itself was given open, as by `exec 200>lock` in a script around it. */
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from './command.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url));
const MOCK = fileURLToPath(new URL('../fixtures/cli/mock.ts', import.meta.url));

it.skipIf(process.platform !== 'linux')('are not open in the programs of its runs', () => {
  const folder = temporaryFolder();
  const [workspace, outside] = ['workspace', 'outside'].map((name) => join(folder, name)) as [string, string];
  for (const each of [workspace, outside]) mkdirSync(each);
  writeFileSync(join(outside, 'secret'), 'the secret');
  const policy = { sandbox: 'allow_without', approve: 'none', dangerous: 'allow' };
  const task = {
    name: 'files',
    goal: 'Go.',
    provider: MOCK,
    tools: ['shell'],
    verify: { judge: 'off' },
    policy,
  };
  writeFileSync(join(workspace, 'task.yaml'), JSON.stringify(task));
  const command = 'cat /proc/self/fd/40/secret; ls -l /proc/self/fd | grep -c outside';
  const node = { id: 'code', tool: 'shell', args: { command, allowFailure: true }, deps: [] };
  writeFileSync(join(workspace, 'plan.json'), JSON.stringify({ nodes: [node], output: 'code' }));
  const held = openSync(outside, 'r');
  const given = Array.from({ length: 41 }, (_, file) =>
    file === 40 ? held : file === 1 ? 'pipe' : 'ignore',
  );
  try {
    const { stdout, status } = spawnSync(
      process.execPath,
      [CLI, 'run', 'task.yaml', '--plan', 'plan.json', '--json'],
      { cwd: workspace, stdio: given, encoding: 'utf8' },
    );
    expect(JSON.parse(stdout)).toMatchObject({ answer: { stdout: '0\n' } });
    expect(status).toBe(0);
  } finally {
    closeSync(held);
  }
});
