import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, opendir, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapInBatches } from './map-in-batches.ts';
import { quotedPath } from './quoted-path.ts';

const MOST_ENTRIES = 50_000;
const MOST_TOLD = 20;
const MOST_LINK_BYTES = 4096;

/** Runs that were told that not all of their workspace is looked at. */
const TOLD = new WeakSet<object>();

/** Where git, run in a workspace, would find what to do: each `.git` below its top and each bare repository, with what tells whether it is the same. */
export interface GitPlaces {
  readonly places: ReadonlyMap<string, string>;
  /** Whether all of the workspace was looked at. */
  readonly isWhole: boolean;
}

/** Finds every `.git` and bare repository below the folders of a workspace, those of outer folders first; links are not followed. */
export async function findGitPlaces(workspace: string, mostEntries = MOST_ENTRIES): Promise<GitPlaces> {
  const places = new Map<string, string>();
  const folders = [''];
  const look: Look = { left: mostEntries, folders: new Map() };
  for (const folder of folders) {
    const entries = await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => []);
    if (isRepository(new Set(entries.map(({ name }) => name))))
      places.set(folder === '' ? '.' : folder, await markOf(join(workspace, folder), look));
    for (const entry of entries) {
      if (--look.left < 0) return { places, isWhole: false };
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      // The one at the top is kept from programs.
      if (entry.name !== '.git') {
        if (entry.isDirectory()) folders.push(path);
      } else if (folder !== '') places.set(path, await markOf(join(workspace, path), look));
    }
  }
  return { places, isWhole: look.left >= 0 };
}

interface Look {
  /** So many entries may still be looked at; those of hooks count. */
  left: number;
  /** What is known of folders that several places name. */
  readonly folders: Map<string, Promise<string>>;
}

/** Whether git takes a folder with these names for a repository, whatever it is called. */
function isRepository(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && (names.has('commondir') || (names.has('objects') && names.has('refs')));
}

/**
 * What a person has to know before git is used in the workspace again: one sentence for each place that is new or changed,
 * and once in a run that not all was looked at.
 */
export function tellGitPlaces(before: GitPlaces, after: GitPlaces, run: object = {}): string[] {
  const changed = [...after.places].filter(([path, mark]) => before.places.get(path) !== mark);
  const told = changed.slice(0, MOST_TOLD).map(([path]) => {
    const what = before.places.has(path) ? 'was changed' : 'is new';
    return `${quotedPath(path)} ${what}: git in that folder would run what its config and hooks say; look at them first, or remove it`;
  });
  const left = changed.length - told.length;
  if (left > 0) told.push(`${left} more repositories are new or were changed`);
  if (!after.isWhole && !TOLD.has(run)) {
    TOLD.add(run);
    told.push(
      `only ${MOST_ENTRIES} entries of the workspace were looked at for new repositories, and no more will be after other programs of this run`,
    );
  }
  return told;
}

/** The times at which an inode was last changed cannot be chosen by who changes it. */
async function markOf(path: string, look: Look): Promise<string> {
  const own = await lstat(path, { bigint: true }).catch(() => null);
  if (own === null) return '';
  const git = own.isFile() ? ((await targetIn(path, 'gitdir: ', dirname(path))) ?? path) : path;
  const common = (await targetIn(`${git}/commondir`, '', git)) ?? git;
  const marks = [...new Set([git, common])].map((folder) => {
    const mark = look.folders.get(folder) ?? folderMark(folder, look);
    look.folders.set(folder, mark);
    return mark;
  });
  const times = own.isDirectory() ? '' : `${own.size}:${own.ctimeNs}`;
  return [`${own.dev}:${own.ino}:${times}`, ...(await Promise.all(marks))].join(' ');
}

async function folderMark(folder: string, look: Look): Promise<string> {
  const parts = ['config', 'config.worktree', 'commondir', 'hooks'].map((name) => `${folder}/${name}`);
  const hooks = await namesIn(`${folder}/hooks`, look);
  const marks = await mapInBatches([...parts, ...hooks], (each) =>
    stat(each, { bigint: true }).catch(() => null),
  );
  return marks.map(timeOf).join(' ');
}

function timeOf(stats: BigIntStats | null): string {
  return stats === null ? '-' : `${stats.ino}:${stats.size}:${stats.ctimeNs}`;
}

async function namesIn(folder: string, look: Look): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) {
      // What is half looked at would be told as changed.
      if (--look.left < 0) return [];
      names.push(`${folder}/${name}`);
    }
  } catch {
    // It is none, or is gone.
  }
  return names.sort();
}

/** The path that a file holds behind `start`, as git reads it: not resolved, for links may lie on it; null where it holds none. */
async function targetIn(file: string, start: string, from: string): Promise<string | null> {
  // A pipe would be waited for, and a device may do something.
  if ((await stat(file).catch(() => null))?.isFile() !== true) return null;
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null);
  if (handle === null) return null;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || stats.size > MOST_LINK_BYTES) return null;
    const text = await handle.readFile('utf8');
    const target = text.slice(start.length).replace(/[\r\n]+$/, '');
    if (!text.startsWith(start) || target === '' || target.includes('\0')) return null;
    return target.startsWith('/') ? target : `${from}/${target}`;
  } catch {
    return null;
  } finally {
    await handle.close();
  }
}
