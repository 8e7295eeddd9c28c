import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { KeptPlaces } from '../../contracts/kept-places.ts';
import { OrchestratorError } from '../../kernel/errors.ts';

/** So many entries of a workspace are looked at, those of outer folders first. */
const MOST_ENTRIES = 20_000;

/** More places than this are not covered one by one. */
const MOST_FOUND = 500;

/**
 * The files and folders of a workspace that policy denies, the outermost of each; links are not followed. Throws
 * `policy_denied` where they are too many to be covered.
 */
export async function findDenied(workspace: string, isDenied: KeptPlaces['isDenied']): Promise<string[]> {
  if (isDenied === undefined) return [];
  const found: string[] = [];
  const folders = [''];
  let looked = 0;
  for (const folder of folders) {
    const entries = await readdir(join(workspace, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (++looked > MOST_ENTRIES) return found;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (isDenied(path)) found.push(join(workspace, ...path.split('/')));
      else if (entry.isDirectory()) folders.push(path);
      if (found.length > MOST_FOUND) throw tooMany(workspace + sep);
    }
  }
  return found;
}

function tooMany(workspace: string): OrchestratorError {
  return new OrchestratorError(
    'policy_denied',
    `policy.paths.deny matches more than ${MOST_FOUND} places in ${workspace}, too many to keep programs from`,
    { details: { workspace }, hint: 'Deny the folders around them.' },
  );
}
