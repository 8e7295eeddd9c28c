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
});

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
        rmSync(join(workspace, 'tree'), { recursive: true });
      }),
    ).toEqual([]);
  });

  it('is said not to be known whole where too much lies there', async () => {
    const places = await findGitPlaces(workspace, 3);
    expect(tellGitPlaces(places, places)).toEqual([expect.stringContaining('were looked at')]);
  });
});
