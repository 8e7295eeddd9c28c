import { mkdirSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { findMoved } from '../../../src/tools/sandbox/find-moved.ts';
import { findGitPlaces } from '../../../src/tools/sandbox/git-places.ts';
import { DeniedMemory } from '../../../src/tools/workspace/denied-memory.ts';
import { temporaryFolder } from '../../support/flight-events.ts';

const looks = vi.hoisted(() => ({ underWay: 0, most: 0 }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>();
  const counted =
    (look: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]): Promise<unknown> => {
      looks.most = Math.max(looks.most, ++looks.underWay);
      try {
        return await look(...args);
      } finally {
        looks.underWay--;
      }
    };
  return { ...original, lstat: counted(original.lstat), stat: counted(original.stat) };
});

let workspace = '';

beforeEach(() => {
  workspace = realpathSync(temporaryFolder());
  Object.assign(looks, { underWay: 0, most: 0 });
});

function fill(folder: string): void {
  mkdirSync(join(workspace, folder), { recursive: true });
  for (let at = 0; at < 1000; at++) writeFileSync(join(workspace, folder, String(at)), '');
}

it('what was moved is looked for among a bounded number of files at a time', async () => {
  fill('many');
  writeFileSync(join(workspace, 'key'), '');
  const memory = new DeniedMemory();
  await memory.remember([join(workspace, 'key')]);
  renameSync(join(workspace, 'key'), join(workspace, 'many/key'));
  expect(await findMoved(workspace, memory)).toEqual([join(workspace, 'many/key')]);
  expect(looks.most).toBeLessThanOrEqual(200);
});

it('hooks of a repository are looked at in bounded numbers', async () => {
  fill('project/.git/hooks');
  expect([...(await findGitPlaces(workspace)).places.keys()]).toEqual(['project/.git']);
  expect(looks.most).toBeLessThanOrEqual(200);
});
