import { existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { inPrivateFolder } from '../../../src/tools/sandbox/private-folder.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const place = (): string => realpathSync(temporaryFolder());

it('is in the first folder that lies outside of the workspace, and gone afterwards', async () => {
  const workspace = place();
  const inside = join(workspace, 'tmp');
  mkdirSync(inside);
  const outside = place();
  const used = await inPrivateFolder(
    workspace,
    (folder) => {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      writeFileSync(join(folder, 'x'), '');
      return Promise.resolve(folder);
    },
    [join(outside, 'none'), workspace, inside, outside, place()],
  );
  expect(dirname(used)).toBe(outside);
  expect(existsSync(used)).toBe(false);
});

it('is refused where every folder for temporary files lies in the workspace', async () => {
  const workspace = place();
  await expect(inPrivateFolder(workspace, () => Promise.resolve(), [workspace])).rejects.toMatchObject({
    code: 'policy_denied',
    hint: expect.stringContaining('TMPDIR') as string,
  });
});
