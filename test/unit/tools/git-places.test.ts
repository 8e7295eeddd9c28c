import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findGitPlaces, tellGitPlaces } from '../../../src/tools/sandbox/git-places.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

let workspace = '';
const write = (path: string, content = ''): void => {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
};

beforeEach(() => {
  workspace = realpathSync(temporaryFolder());
  write('.git/config');
  write('old/.git/config');
  write('old/.git/hooks/post-checkout');
  write('tree/.git', 'gitdir: ../stores/tree\n');
  write('stores/tree/config');
  write('plan/g/config');
  bare('bare.git');
  write('bare.git/worktrees/main/HEAD');
  write('bare.git/worktrees/main/commondir', '../..\n');
  write('main/.git', 'gitdir: ../bare.git/worktrees/main\n');
});

const bare = (path: string): void => {
  for (const name of ['HEAD', 'config', 'objects/info/x', 'refs/heads/x', 'hooks/x'])
    write(`${path}/${name}`);
};

async function told(change: () => void): Promise<string[]> {
  const before = await findGitPlaces(workspace);
  change();
  return tellGitPlaces(before, await findGitPlaces(workspace)).map((line) => line.split(':')[0] ?? '');
}

describe('what a program leaves for the next git', () => {
  it.each<[string, () => void, string[]]>([
    ['a new repository', () => write('sub/deep/.git/config'), ['sub/deep/.git is new']],
    ['a new link to one', () => write('sub/.git', 'gitdir: ../plan/g\n'), ['sub/.git is new']],
    [
      'a folder that becomes one',
      () => renameSync(join(workspace, 'plan/g'), join(workspace, 'plan/.git')),
      ['plan/.git is new'],
    ],
    ['a changed configuration', () => write('old/.git/config', '[core]'), ['old/.git was changed']],
    ['a new hook', () => write('old/.git/hooks/pre-commit'), ['old/.git was changed']],
    ['a changed hook', () => write('old/.git/hooks/post-checkout', 'x'), ['old/.git was changed']],
    ['a changed link', () => write('tree/.git', 'gitdir: ../plan/g\n'), ['tree/.git was changed']],
    ['a changed end of a link', () => write('stores/tree/config', 'x'), ['tree/.git was changed']],
    [
      'another folder in the same place',
      () => {
        rmSync(join(workspace, 'old/.git'), { recursive: true });
        renameSync(join(workspace, 'plan/g'), join(workspace, 'old/.git'));
      },
      ['old/.git was changed'],
    ],
    ['a new bare repository', () => bare('sub/b'), ['sub/b is new']],
    ['one at the top', () => bare('.'), ['. is new']],
    [
      'a folder with a bare one elsewhere',
      () => {
        write('sub/HEAD');
        write('sub/commondir', '../plan/g');
      },
      ['sub is new'],
    ],
    [
      'a changed bare repository and its worktrees',
      () => write('bare.git/config', 'x'),
      ['bare.git was changed', 'main/.git was changed', 'bare.git/worktrees/main was changed'],
    ],
    [
      'a new hook of one',
      () => write('bare.git/hooks/post-checkout', 'x'),
      ['bare.git was changed', 'main/.git was changed', 'bare.git/worktrees/main was changed'],
    ],
    [
      'a name that says something else to a terminal',
      () => write('a\u001b[2J\nb\u009b/.git/config'),
      [String.raw`"a\u001b[2J\nb\u009b/.git" is new`],
    ],
    ['a name of several words', () => write('x is fine/.git/config'), ['"x is fine/.git" is new']],
  ])('is told: %s', async (_, change, expected) => {
    expect(await told(change)).toEqual(expected);
  });

  it('is nothing where git itself has been at work, or the top was changed', async () => {
    expect(
      await told(() => {
        write('old/.git/index', 'x');
        write('old/.git/HEAD', 'x');
        write('old/.gitignore', 'x');
        write('.git/config', 'x');
        write('bare.git/refs/heads/y', 'x');
        write('bare.git/HEAD', 'x');
        write('plan/HEAD');
        write('plan/objects/x');
        rmSync(join(workspace, 'tree'), { recursive: true });
      }),
    ).toEqual([]);
  });

  it('is said not to be known whole where too much lies there', async () => {
    const places = await findGitPlaces(workspace, 3);
    expect(tellGitPlaces(places, places)).toEqual([expect.stringContaining('were looked at')]);
  });

  it('is said not to be known whole once in a run', async () => {
    const places = await findGitPlaces(workspace, 3);
    const run = {};
    expect([1, 2].map(() => tellGitPlaces(places, places, run).length)).toEqual([1, 0]);
    expect(tellGitPlaces(places, places, {})).toHaveLength(1);
  });

  it('is looked for where a pipe stands for a file', async () => {
    rmSync(join(workspace, 'bare.git/worktrees/main/commondir'));
    execFileSync('mkfifo', [join(workspace, 'bare.git/worktrees/main/commondir')]);
    expect(await told(() => write('sub/.git/config'))).toEqual(['sub/.git is new']);
  });

  it('is seen at the end of a link whose name ends with a space', async () => {
    write('stores/tree /config');
    write('tree/.git', 'gitdir: ../stores/tree ');
    expect(await told(() => write('stores/tree /config', 'x'))).toEqual(['tree/.git was changed']);
  });

  it('counts the hooks that it looks at, once for all places that lead to them', async () => {
    for (let at = 0; at < 100; at++) write(`stores/tree/hooks/h${at}`);
    for (let at = 0; at < 10; at++) write(`more/${at}/.git`, `gitdir: ${workspace}/stores/tree`);
    const { places, isWhole } = await findGitPlaces(workspace, 400);
    expect([places.size, isWhole]).toEqual([15, true]);
    for (let at = 0; at < 10; at++)
      write(`more/${at}/.git`, `gitdir: ${workspace}/${'./'.repeat(at)}stores/tree`);
    expect((await findGitPlaces(workspace, 400)).isWhole).toBe(false);
  });
});
