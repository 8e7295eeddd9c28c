import { lstat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { OrchestratorError } from '../../kernel/errors.ts';
import { type DeniedMemory, idOf, statOf } from '../workspace/denied-memory.ts';
import { systemCode } from '../workspace/file-error.ts';
import { DENIED_LIMITS, entriesOf, tooMany, unreadable } from './find-denied.ts';
import { mapInBatches } from './map-in-batches.ts';
import { quotedPath } from './quoted-path.ts';

const MOST_TOLD = 20;

/**
 * Where everything that was found denied before is now, by real paths; what is not there any more is looked for in the
 * whole workspace. Throws `policy_denied` where that is too large, or what was found is too much to be covered.
 */
export async function findMoved(
  workspace: string,
  memory: DeniedMemory,
  { mostEntries, mostFound } = DENIED_LIMITS,
): Promise<string[]> {
  const { quietSince } = memory;
  const missing = await memory.missing();
  if (missing.size > 0) await seek(workspace, memory, missing, mostEntries);
  const isGone = quietSince !== null && quietSince === memory.quietSince;
  // Its number may be given to another file. A folder that is being moved may be passed by unseen.
  if (isGone) for (const id of missing.keys()) memory.forget(id);
  const places = [...memory.places()].flatMap(([id, at]) => (missing.has(id) ? [] : [at]));
  if (places.length > mostFound) throw tooMany(workspace, mostFound);
  return places;
}

/** What a person has to know of what was moved since `before`: one sentence for each. */
export async function tellMoved(
  workspace: string,
  memory: DeniedMemory,
  before: ReadonlyMap<string, string>,
): Promise<string[]> {
  try {
    await findMoved(workspace, memory);
  } catch (error) {
    if (error instanceof OrchestratorError) return [error.message];
    throw error;
  }
  const moved = [...memory.places()].flatMap(([id, at]) => {
    const from = before.get(id);
    return from === undefined || from === at
      ? []
      : [[from, at].map((path) => quotedPath(relative(workspace, path)))];
  });
  const told = moved
    .slice(0, MOST_TOLD)
    .map(
      ([from, at]) =>
        `${from}, which policy denies, is now ${at}: it stays denied until this process ends; put it back before the run is taken up or another one begins`,
    );
  const left = moved.length - told.length;
  return left > 0 ? [...told, `${left} more places that policy denies were moved`] : told;
}

/** Takes from `missing` what it finds. */
async function seek(
  workspace: string,
  memory: DeniedMemory,
  missing: Map<string, string>,
  mostEntries: number,
): Promise<void> {
  const folders = [workspace];
  let looked = 0;
  for (const folder of folders) {
    const entries = await entriesOf(folder);
    looked += entries.length;
    if (looked > mostEntries) throw lost(workspace, missing, mostEntries);
    const found = await mapInBatches(entries, async (entry) => {
      const path = join(folder, entry.name);
      const stats = await statOf(path);
      if (stats === null) await refuseHidden(path);
      return { path, stats };
    });
    for (const { path, stats } of found) {
      if (stats === null) continue;
      if (memory.isKnown(stats) && missing.delete(idOf(stats))) memory.see(stats, path);
      if (stats.isDirectory()) folders.push(path);
    }
    if (missing.size === 0) return;
  }
}

/** Throws where something is there all the same, but cannot be looked at by its path. */
async function refuseHidden(path: string): Promise<void> {
  const isText = !path.includes('\ufffd');
  const code = await lstat(path).then(() => undefined, systemCode);
  if (isText && (code === undefined || code === 'ENOENT')) return;
  throw unreadable(path, isText ? 'cannot be looked at' : 'has a name that is not UTF-8');
}

function lost(
  workspace: string,
  missing: ReadonlyMap<string, string>,
  mostEntries: number,
): OrchestratorError {
  const [first = workspace] = missing.values();
  return new OrchestratorError(
    'policy_denied',
    `programs cannot be kept from what policy.paths.deny denies: ${first} was moved or removed, and ${workspace} holds more than the ${mostEntries} entries among which it is looked for`,
    {
      details: { workspace, mostEntries, moved: [...missing.values()].slice(0, MOST_TOLD) },
      hint: 'Put it back; if it was removed for good, start the run anew.',
    },
  );
}
