import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deniedNames } from '../../../src/contracts/policy/denied-names.ts';
import { findDenied } from '../../../src/tools/sandbox/find-denied.ts';
import { findMoved, tellMoved } from '../../../src/tools/sandbox/find-moved.ts';
import { DeniedMemory } from '../../../src/tools/workspace/denied-memory.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

function workspaceOf(paths: readonly string[], links: Readonly<Record<string, string>> = {}): string {
  const workspace = realpathSync(temporaryFolder());
  for (const path of paths) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), '');
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(workspace, path));
  return workspace;
}

async function found(workspace: string, deny: readonly string[], mostEntries = 20): Promise<string[]> {
  const places = await findDenied(workspace, deniedNames(deny), { mostEntries, mostFound: 500 });
  return places.map((path) => path.slice(workspace.length + 1)).sort();
}

const MANY = Array.from({ length: 30 }, (_, at) => `data/${at}.txt`);

describe('what policy denies of a workspace', () => {
  it.each([[['*.pem']], [['secrets']], [['data/*/secret', 'x']], [['{x,data/**}/key']]])(
    'is refused for %j where more has to be looked at than is',
    async (deny) => {
      const workspace = workspaceOf([...MANY, 'deep/er/key.pem']);
      await expect(found(workspace, deny)).rejects.toMatchObject({
        code: 'policy_denied',
        message: expect.stringContaining('holds more than the 20 entries') as string,
      });
    },
  );

  it.each([
    [['data/7.txt'], ['data/7.txt']],
    [['Deep/er'], ['deep/er']],
    [['deep/*.pem'], ['deep/top.pem']],
    [['deep/**/*.pem'], ['deep/er/key.pem', 'deep/top.pem']],
    [['{deep,none}/er/key.pem'], ['deep/er/key.pem']],
    [['data/none/x', './deep/er/'], ['deep/er']],
  ])('is found for %j without a look at the rest', async (deny, places) => {
    const workspace = workspaceOf([...MANY, 'deep/er/key.pem', 'deep/top.pem']);
    expect(await found(workspace, deny)).toEqual(places);
  });

  it('is found behind links, wherever they lead to in the workspace, and round a circle once', async () => {
    const workspace = workspaceOf(['store/keys/a', 'store/b.txt', 'plain.txt'], {
      private: 'store',
      '.env': 'plain.txt',
      outside: '/etc',
      'store/up': '..',
      gone: 'nowhere',
    });
    expect(await found(workspace, ['private/keys'])).toEqual(['store/keys']);
    expect(await found(workspace, ['private/**/b.txt'], 200)).toEqual(['store/b.txt']);
    expect(await found(workspace, ['.env'])).toEqual(['plain.txt']);
    expect(await found(workspace, ['outside', 'gone', 'up'])).toEqual([]);
  });

  it('is refused where a folder of a name that is no text cannot be looked into', async () => {
    const workspace = workspaceOf([]);
    mkdirSync(Buffer.concat([Buffer.from(`${workspace}/n`), Buffer.from([0xff])]));
    await expect(found(workspace, ['*.pem'])).rejects.toThrow('has a name that is not UTF-8');
  });

  it.skipIf(process.getuid?.() === 0)('is refused where a folder of this user is closed', async () => {
    const workspace = workspaceOf(['closed/key.pem']);
    chmodSync(join(workspace, 'closed'), 0);
    await expect(found(workspace, ['*.pem'])).rejects.toThrow('cannot be looked through');
    chmodSync(join(workspace, 'closed'), 0o700);
  });

  it.skipIf(process.getuid?.() !== 0).each([
    [0o711, ['closed/secret'], 'closed cannot be looked through'],
    [0o711, ['**/secret'], 'closed cannot be looked through'],
    [0o700, ['closed/secret'], null],
  ])('is told of a folder of another user (mode %i) that may hold %j', async (mode, deny, message) => {
    const workspace = workspaceOf(['closed/secret']);
    chmodSync(workspace, 0o755);
    chmodSync(join(workspace, 'closed'), mode);
    process.seteuid?.(65_534);
    try {
      if (message === null) expect(await found(workspace, deny)).toEqual([]);
      else await expect(found(workspace, deny)).rejects.toThrow(message);
    } finally {
      process.seteuid?.(0);
    }
  });

  it('is refused where its path is too long to be covered', async () => {
    const workspace = workspaceOf([`config/${LONG}.pem`]);
    bury(workspace, 'config');
    await expect(found(workspace, ['*.pem'], 200)).rejects.toThrow('cannot be looked at');
  });
});

const LONG = 'k'.repeat(200);

/** Moves a folder so deep down that its own path can still be told, and that of the file in it not any more. */
function bury(workspace: string, folder: string): void {
  const depth = Math.floor((4080 - workspace.length - folder.length) / 201);
  const script =
    'top=$PWD; i=0; while [ $i -lt "$1" ]; do mkdir "$2"; cd "$2"; i=$((i+1)); done; mv "$top/$3" .';
  // No single path reaches down there.
  onTestFinished(() => {
    execFileSync('rm', ['-rf', workspace]);
  });
  execFileSync('sh', ['-c', script, 'bury', String(depth), 'd'.repeat(200), folder], { cwd: workspace });
}

describe('what was found denied and is moved', () => {
  async function remembered(workspace: string, deny: readonly string[]): Promise<DeniedMemory> {
    const memory = new DeniedMemory();
    await memory.remember(await findDenied(workspace, deniedNames(deny)));
    return memory;
  }

  const limits = { mostEntries: 20, mostFound: 2 };

  it('is found where it is now, and where it is after that', async () => {
    const workspace = workspaceOf(['a/b/key.pem', 'a/other.pem']);
    const memory = await remembered(workspace, ['a/b/*.pem']);
    expect(await findMoved(workspace, memory, limits)).toEqual([join(workspace, 'a/b/key.pem')]);
    for (const to of ['c', 'a/d', 'a/b']) {
      const [from = ''] = await findMoved(workspace, memory, limits);
      renameSync(dirname(from), join(workspace, to));
      expect(await findMoved(workspace, memory, limits)).toEqual([join(workspace, to, 'key.pem')]);
    }
  });

  it.each<[string, (workspace: string) => void, string]>([
    [
      'there is too much to look among',
      (workspace) => renameSync(join(workspace, 'a'), join(workspace, 'zz')),
      'was moved or removed, and ',
    ],
    [
      'its new name is no text',
      (workspace) => {
        rmSync(join(workspace, 'data'), { recursive: true });
        renameSync(join(workspace, 'a'), Buffer.from(`${workspace}/n\xff`, 'latin1'));
      },
      'has a name that is not UTF-8',
    ],
    [
      'its new path is too long',
      (workspace) => {
        rmSync(join(workspace, 'data'), { recursive: true });
        bury(workspace, 'a');
      },
      'cannot be looked at',
    ],
  ])('is refused where %s', async (_, move, message) => {
    const workspace = workspaceOf([`a/${LONG}.pem`, ...MANY]);
    const memory = await remembered(workspace, ['a/*.pem']);
    move(workspace);
    await expect(findMoved(workspace, memory, { ...limits, mostEntries: 25 })).rejects.toMatchObject({
      code: 'policy_denied',
      message: expect.stringContaining(message) as string,
    });
    expect(memory.isEmpty).toBe(false);
  });

  it('is told of in one line, whatever a program calls the folder around it', async () => {
    const workspace = workspaceOf(['a/key.pem']);
    const memory = await remembered(workspace, ['a/*.pem']);
    const before = memory.places();
    renameSync(join(workspace, 'a'), join(workspace, 'b\n\u001b[2J. All is well'));
    const [warning = ''] = await tellMoved(workspace, memory, before);
    expect(warning).toContain(
      'a/key.pem, which policy denies, is now "b\\n\\u001b[2J. All is well/key.pem": ',
    );
    expect(warning).not.toMatch(/[\n\u001b]/);
  });

  it('is refused where it comes to more than is covered', async () => {
    const workspace = workspaceOf(['a/1.pem', 'a/2.pem', 'a/3.pem']);
    const memory = await remembered(workspace, ['a/*.pem']);
    await expect(findMoved(workspace, memory, limits)).rejects.toThrow('matches more than 2 places');
  });

  it('is forgotten once it is gone, but not while a program may be moving it', async () => {
    const workspace = workspaceOf(['a/key.pem']);
    const memory = await remembered(workspace, ['a/*.pem']);
    rmSync(join(workspace, 'a/key.pem'));
    const end = memory.begin();
    expect(await findMoved(workspace, memory, limits)).toEqual([]);
    expect(memory.isEmpty).toBe(false);
    const finding = findMoved(workspace, memory, limits);
    end();
    await finding;
    expect(memory.isEmpty).toBe(false);
    const another = findMoved(workspace, memory, limits);
    memory.begin()();
    await another;
    expect(memory.isEmpty).toBe(false);
    await findMoved(workspace, memory, limits);
    expect(memory.isEmpty).toBe(true);
  });

  it.each([
    ['the same file', { birthtimeNs: 10n, ctimeNs: 20n }, { birthtimeNs: 10n, ctimeNs: 30n }, true],
    [
      'another file of its number',
      { birthtimeNs: 10n, ctimeNs: 20n },
      { birthtimeNs: 20n, ctimeNs: 20n },
      false,
    ],
    ['one of unknown birth', { birthtimeNs: 10n, ctimeNs: 20n }, { birthtimeNs: 0n, ctimeNs: 30n }, true],
    [
      'a birth that is but its change',
      { birthtimeNs: 20n, ctimeNs: 20n },
      { birthtimeNs: 30n, ctimeNs: 30n },
      true,
    ],
  ])('is recognized as %s', (_, before, after, isMoved) => {
    const stats = lstatSync(workspaceOf([]), { bigint: true });
    const memory = new DeniedMemory();
    memory.see(Object.assign(stats, before), '/a.tmp');
    expect(memory.isMoved(Object.assign(stats, after), '/out.txt')).toBe(isMoved);
    expect(memory.isMoved(stats, '/a.tmp')).toBe(false);
  });

  it('is gone where another file has its number', async () => {
    const workspace = workspaceOf([]);
    const path = join(workspace, 'a.tmp');
    const memory = new DeniedMemory();
    for (let tries = 0; tries < 50; tries++) {
      writeFileSync(path, 'x');
      await memory.remember([path]);
      const { ino } = lstatSync(path);
      rmSync(path);
      const other = join(workspace, `${tries}.txt`);
      writeFileSync(other, 'x');
      if (lstatSync(other).ino !== ino) continue;
      expect(await findMoved(workspace, memory, { mostEntries: 200, mostFound: 200 })).toEqual([]);
      return;
    }
  });
});
