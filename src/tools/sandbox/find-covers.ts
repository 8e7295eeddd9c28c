/*
 * What a program in the sandbox must not reach, or must not change, though it lies where the program works.
 *
 * 1. A cover is mounted on the place itself, so that it can be neither removed nor moved; the folders around it are
 *    bound to themselves, so that none of them can be moved away and made anew.
 * 2. Only places that no program could have swapped are bound from outside: a link in their place would lay open what
 *    it leads to.
 * 3. A folder that decides what runs, and that is not there, is made empty for as long as a program lives.
 * 4. What policy denies by name is covered, whatever it is called later: programs may move the folders around it.
 */
import { mkdirSync, rmdirSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { KeptPlaces } from '../../contracts/kept-places.ts';
import { memoryOf } from '../workspace/denied-memory.ts';
import { findDenied } from './find-denied.ts';
import { findMoved, tellMoved } from './find-moved.ts';

/** Something mounted on a place that is there. */
export interface Cover {
  readonly path: string;
  readonly kind: 'hidden folder' | 'hidden file' | 'read-only';
}

/** All that is mounted for one program, in this order. */
export interface Covers {
  /** Folders that are bound to themselves. */
  readonly anchors: readonly string[];
  readonly covers: readonly Cover[];
  /** To be called when the program has ended: takes away what was made for it. */
  release(): void;
  /** To be called after that: what a person has to know of denied places that were moved meanwhile. */
  tellMoved(): Promise<string[]>;
}

/** What lies in a workspace, or in another folder that programs see, and is kept from them; paths are real ones. */
export async function findCovers(
  workspace: string,
  seen: readonly string[],
  { hidden, fixed, denied }: KeptPlaces = { hidden: [], fixed: [] },
): Promise<Covers> {
  const made: string[] = [];
  const covers: Cover[] = [];
  const add = (cover: Cover | null): void => {
    if (cover !== null && !covers.some((other) => isCovered(cover, other))) covers.push(cover);
  };
  // The shorter a path, the more it covers.
  for (const path of byLength(hidden)) if (isBelow(path, [workspace, ...seen])) add(await hide(path));
  for (const path of byLength([join(workspace, '.git'), ...fixed]))
    if (isBelow(path, [workspace])) add(await fix(path, made));
  const anchors = byLength(new Set(covers.flatMap(({ path }) => foldersBetween(workspace, path))));
  // Those stay where their folder goes, and other programs may have moved that.
  const memory = memoryOf(denied);
  const named = await findDenied(workspace, denied);
  await memory?.remember(named);
  const moved = memory === null ? [] : await findMoved(workspace, memory);
  for (const path of new Set([...named, ...moved])) deny(covers, await hide(path));
  const before = memory?.places() ?? new Map<string, string>();
  const end = memory?.begin();
  return {
    anchors,
    covers: covers.sort((a, b) => a.path.length - b.path.length),
    release: () => {
      made.splice(0).forEach(removeEmpty);
      end?.();
    },
    tellMoved: async () => (memory === null ? [] : tellMoved(workspace, memory, before)),
  };
}

/** Hides a place, and with it what was to be seen in it. */
function deny(covers: Cover[], cover: Cover | null): void {
  if (cover === null || covers.some((other) => other.kind !== 'read-only' && isCovered(cover, other))) return;
  const left = covers.filter((other) => !isCovered(other, cover));
  covers.splice(0, covers.length, ...left, cover);
}

async function hide(path: string): Promise<Cover | null> {
  const kind = await kindOf(path);
  return kind === null ? null : { path, kind: `hidden ${kind}` };
}

async function fix(path: string, made: string[]): Promise<Cover | null> {
  if (EMPTY_WHERE_MISSING.has(basename(path)) && makeEmpty(path)) made.push(path);
  return (await kindOf(path)) === null ? null : { path, kind: 'read-only' };
}

/** Null for what is not there, and for a link, which nothing can be mounted on. */
async function kindOf(path: string): Promise<'folder' | 'file' | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || stats.isSymbolicLink()) return null;
  return stats.isDirectory() ? 'folder' : 'file';
}

/** Whether another cover makes this one needless: what is hidden has nothing to be bound. */
function isCovered(cover: Cover, other: Cover): boolean {
  const isInside = cover.path === other.path || isBelow(cover.path, [other.path]);
  return isInside && (other.kind !== 'read-only' || cover.kind === 'read-only');
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
}

function foldersBetween(workspace: string, path: string): string[] {
  const folders: string[] = [];
  for (let at = dirname(path); isBelow(at, [workspace]); at = dirname(at)) folders.push(at);
  return folders;
}

function byLength(paths: Iterable<string>): string[] {
  return [...paths].sort((a, b) => a.length - b.length);
}

/** Folders that say what runs by being there. */
const EMPTY_WHERE_MISSING = new Set(['.git', 'node_modules']);

/** How many programs need an empty folder that was made here. */
const holders = new Map<string, number>();

/** Makes a folder that is missing; true where it is to be given back. At once, so that nobody removes it in between. */
function makeEmpty(path: string): boolean {
  const held = holders.get(path) ?? 0;
  if (held === 0 && !succeeds(() => mkdirSync(path))) return false;
  holders.set(path, held + 1);
  return true;
}

function removeEmpty(path: string): void {
  const left = (holders.get(path) ?? 1) - 1;
  if (left > 0) holders.set(path, left);
  else holders.delete(path);
  // Whoever has put something in it keeps it.
  if (left === 0) succeeds(() => rmdirSync(path));
}

function succeeds(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}
