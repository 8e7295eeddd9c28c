import { type BigIntStats } from 'node:fs';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const MOST_ENTRIES = 50_000;
const MOST_TOLD = 20;
const MOST_LINK_BYTES = 4096;

/** Where git, run in a workspace, would find what to do: each `.git` below its top, with what tells whether it is the same. */
export interface GitPlaces {
  readonly places: ReadonlyMap<string, string>;
  /** Whether all of the workspace was looked at. */
  readonly isWhole: boolean;
}

/** Finds every `.git` below the folders of a workspace, those of outer folders first; links are not followed. */
export async function findGitPlaces(workspace: string, mostEntries = MOST_ENTRIES): Promise<GitPlaces> {
  const places = new Map<string, string>();
  const folders = [''];
  let looked = 0;
  for (const folder of folders) {
    for (const entry of await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => [])) {
      if (++looked > mostEntries) return { places, isWhole: false };
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // The one at the top is kept from programs.
      if (entry.name !== '.git') {
        if (entry.isDirectory()) folders.push(path);
      } else if (folder !== '') places.set(path, await markOf(join(workspace, path)));
    }
  }
  return { places, isWhole: true };
}

/** What a person has to know before git is used in the workspace again: one sentence for each place that is new or changed. */
export function tellGitPlaces(before: GitPlaces, after: GitPlaces): string[] {
  const changed = [...after.places].filter(([path, mark]) => before.places.get(path) !== mark);
  const told = changed.slice(0, MOST_TOLD).map(([path]) => {
    const what = before.places.has(path) ? 'was changed' : 'is new';
    return `${path} ${what}: git in that folder would run what its config and hooks say; look at them first, or remove it`;
  });
  const left = changed.length - told.length;
  if (left > 0) told.push(`${left} more places called .git are new or were changed`);
  if (!after.isWhole)
    told.push(`only ${MOST_ENTRIES} entries of the workspace were looked at for new places called .git`);
  return told;
}

/** The times at which an inode was last changed cannot be chosen by who changes it. */
async function markOf(path: string): Promise<string> {
  const own = await lstat(path, { bigint: true }).catch(() => null);
  if (own === null) return '';
  const git = own.isFile() ? await linkedFolder(path, own) : path;
  const hooks = join(git, 'hooks');
  const names = await readdir(hooks).catch(() => []);
  const parts = ['config', 'config.worktree', 'commondir', 'hooks'].map((name) => join(git, name));
  const all = [...parts, ...names.sort().map((name) => join(hooks, name))];
  const marks = await Promise.all(all.map((each) => stat(each, { bigint: true }).catch(() => null)));
  const isFolder = own.isDirectory();
  return [`${own.dev}:${own.ino}:${isFolder ? '' : `${own.size}:${own.ctimeNs}`}`, ...marks.map(timeOf)].join(
    ' ',
  );
}

function timeOf(stats: BigIntStats | null): string {
  return stats === null ? '-' : `${stats.ino}:${stats.size}:${stats.ctimeNs}`;
}

/** Where a file called `.git` says that the repository is. */
async function linkedFolder(path: string, { size }: BigIntStats): Promise<string> {
  if (size > MOST_LINK_BYTES) return path;
  const text = await readFile(path, 'utf8').catch(() => '');
  const target = /^gitdir: (.+)$/m.exec(text)?.[1];
  return target === undefined ? path : resolve(dirname(path), target.trim());
}
