import type { Dirent } from 'node:fs';
import { opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { memoryOf, statOf } from './denied-memory.ts';
import { systemCode } from './file-error.ts';
import { atPlace, pathOf, type Place } from './find-place.ts';
import { HeldFolder } from './held-folder.ts';
import { isProtectedPath } from './parse-workspace-path.ts';
import { isWithin } from './refuse-kept.ts';

const MAX_DEPTH = 64;

/** What stands in a folder of the workspace. */
export interface FoundEntry {
  /** The way to it from the workspace, with slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Where it stands, held open while it is looked at. */
  readonly place: Place & { readonly name: string };
}

/** How a folder is walked. */
export interface WalkOptions extends Pick<ToolContext, 'workspace' | 'signal' | 'permits' | 'kept'> {
  /** Whether the folders in it are walked too. */
  readonly isRecursive: boolean;
  /** So many entries are looked at before the walk ends. */
  readonly maxEntries: number;
}

/**
 * Calls `visit` with what stands below a folder, in the order of the names, until it returns false; links are never
 * followed, and what git and the runs keep of their own is passed over. False where not all was looked at.
 */
export async function walkWorkspace(
  path: string,
  options: WalkOptions,
  visit: (entry: FoundEntry) => boolean | Promise<boolean>,
): Promise<boolean> {
  const state = { ...options, root: await realpath(options.workspace), left: options.maxEntries };
  return atPlace(options.workspace, path, { permits: options.permits, kept: options.kept }, async (place) => {
    if (place.name === null) return walkFolder(place.folder, 0, state, visit);
    const held = await openFolder(place.folder, place.name, path);
    try {
      return await walkFolder(held, 0, state, visit);
    } finally {
      await held.close();
    }
  });
}

async function openFolder(folder: HeldFolder, name: string, path: string): Promise<HeldFolder> {
  try {
    return await folder.openChild(name);
  } catch (error) {
    if (systemCode(error) !== 'ENOTDIR') throw error;
    throw new ToolError('TOOL_MISUSE', `${JSON.stringify(path)} is not a folder`, { details: { path } });
  }
}

interface WalkState extends WalkOptions {
  /** The real path of the workspace. */
  readonly root: string;
  left: number;
}

async function walkFolder(
  folder: HeldFolder,
  depth: number,
  state: WalkState,
  visit: (entry: FoundEntry) => boolean | Promise<boolean>,
): Promise<boolean> {
  const read = await readEntries(folder, state);
  let { isWhole } = read;
  for (const entry of read.entries) {
    state.signal.throwIfAborted();
    const { name } = entry;
    const names = [...folder.names, name];
    if (isProtectedPath(names) || state.permits?.('path', pathOf(names)) === false) continue;
    if (state.kept !== undefined && isWithin(state.root, names, state.kept.hidden)) continue;
    if (await isMoved(folder.at(name), join(state.root, ...names), state)) continue;
    const kind = kindOf(entry);
    if (!(await visit({ path: pathOf(names), kind, place: { folder, name, names } }))) return false;
    if (kind !== 'folder' || !state.isRecursive) continue;
    if (depth >= MAX_DEPTH) {
      isWhole = false;
      continue;
    }
    const child = await folder.openChild(name).catch(() => null);
    // A folder that is gone, or that nobody may read, has nothing to show.
    if (child === null) continue;
    try {
      if (!(await walkFolder(child, depth + 1, state, visit))) return false;
    } finally {
      await child.close();
    }
  }
  return isWhole;
}

/** Whether policy denies what stands there by the name that it had before it was moved. */
async function isMoved(place: string, path: string, { kept }: WalkState): Promise<boolean> {
  const memory = memoryOf(kept?.denied);
  return memory !== null && !memory.isEmpty && memory.isMoved(await statOf(place), path);
}

async function readEntries(
  folder: HeldFolder,
  state: WalkState,
): Promise<{ readonly entries: readonly Dirent[]; readonly isWhole: boolean }> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder.self())) {
    if (state.left <= 0) return { entries: sortByName(entries), isWhole: false };
    state.left--;
    entries.push(entry);
  }
  return { entries: sortByName(entries), isWhole: true };
}

function sortByName(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kindOf(entry: Dirent): FoundEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
