import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { DeniedNames } from '../../contracts/policy/denied-names.ts';
import { OrchestratorError } from '../../kernel/errors.ts';
import { systemCode } from '../workspace/file-error.ts';

/** How much is looked at, and covered, for one program. */
export const DENIED_LIMITS = {
  /** So many entries are looked at for patterns that may match anywhere. */
  mostEntries: 200_000,
  /** More places than this are not covered one by one. */
  mostFound: 500,
};

/** A folder by its real path, and how far the way to it has come in the patterns. */
interface Folder {
  readonly path: string;
  readonly names: DeniedNames;
}

/**
 * The files and folders of a workspace (a real path) that policy denies, the outermost of each, and what links of denied
 * names lead to. Throws `policy_denied` where they cannot all be found, or are too many to be covered.
 */
export async function findDenied(
  workspace: string,
  denied: DeniedNames | undefined,
  { mostEntries, mostFound } = DENIED_LIMITS,
): Promise<string[]> {
  if (denied === undefined) return [];
  const found = new Set<string>();
  const folders: Folder[] = [];
  const known = new Set<string>();
  const add = (folder: Folder): void => {
    const id = `${folder.names.key} ${folder.path}`;
    if (known.has(id)) return;
    known.add(id);
    folders.push(folder);
  };
  add({ path: workspace, names: denied });
  let looked = 0;
  for (const { path: folder, names } of folders) {
    const { isWide } = names;
    for (const entry of await entriesOf(folder)) {
      // Names that stand in the policy word for word lead to few folders, however much lies in them.
      if (isWide && ++looked > mostEntries) throw tooLarge(workspace, mostEntries);
      const at = names.enter(entry.name);
      if (!at.isDenied && !(at.mayHoldDenied && (entry.isDirectory() || entry.isSymbolicLink()))) continue;
      const path = await placeOf(join(folder, entry.name), entry);
      if (path === null || !path.startsWith(workspace + sep)) continue;
      if (at.isDenied) found.add(await seenAt(path));
      else add({ path, names: at });
      if (found.size > mostFound) throw tooMany(workspace, mostFound);
    }
  }
  return [...found];
}

/** What is in a folder; nothing where it is none, is gone, or belongs to somebody else who lets nobody in. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    const owner = await lstat(folder).catch(() => null);
    // Its owner could open it in the sandbox; whoever may enter could reach what is in it by its name.
    const isOwn = owner === null || owner.uid === process.geteuid?.();
    if (!isOwn && !(await mayEnter(folder))) return [];
    throw unreadable(folder, 'cannot be looked through');
  }
}

async function mayEnter(folder: string): Promise<boolean> {
  return lstat(`${folder}/.`).then(
    () => true,
    () => false,
  );
}

/** The path itself; throws where what is there cannot be covered, since the path is too long. */
async function seenAt(path: string): Promise<string> {
  const code = await lstat(path).then(() => undefined, systemCode);
  if (code === undefined || code === 'ENOENT' || code === 'ENOTDIR') return path;
  throw unreadable(path, 'cannot be looked at');
}

/** Where an entry leads by its real path; null where that is nowhere. */
async function placeOf(path: string, entry: Dirent): Promise<string | null> {
  // A name that is not Unicode can be neither opened nor covered by the text that stands for it.
  if (entry.name.includes('\ufffd') && (await lstat(path).catch(() => null)) === null)
    throw unreadable(path, 'has a name that is not UTF-8');
  return entry.isSymbolicLink() ? realpath(path).catch(() => null) : path;
}

/** The error for what is there but cannot be looked at. */
export function unreadable(path: string, what: string): OrchestratorError {
  return new OrchestratorError(
    'policy_denied',
    `programs cannot be kept from what policy.paths.deny denies: ${path} ${what}`,
    { details: { path }, hint: 'Rename or remove it, or make it readable for this user.' },
  );
}

function tooLarge(workspace: string, mostEntries: number): OrchestratorError {
  return new OrchestratorError(
    'policy_denied',
    `programs cannot be kept from what policy.paths.deny denies: ${workspace} holds more than the ${mostEntries} entries that are looked at`,
    {
      details: { workspace, mostEntries },
      hint: 'Write patterns that begin with folders, such as `private/keys` or `config/*.pem`, or choose a smaller workspace.',
    },
  );
}

/** The error for more denied places than are covered. */
export function tooMany(workspace: string, mostFound: number): OrchestratorError {
  return new OrchestratorError(
    'policy_denied',
    `policy.paths.deny matches more than ${mostFound} places in ${workspace}${sep}, too many to keep programs from`,
    { details: { workspace }, hint: 'Deny the folders around them.' },
  );
}
