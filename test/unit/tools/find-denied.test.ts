import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deniedNames } from '../../../src/contracts/policy/denied-names.ts';
import { findDenied } from '../../../src/tools/sandbox/find-denied.ts';
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
});
