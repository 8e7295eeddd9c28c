import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { OrchestratorError } from '../kernel/errors.ts';
import { MINI_LM, type ModelFile, type ModelManifest } from './model-manifest.ts';

/** Where a model is looked for. */
export interface ModelPlaces {
  /** The folder that the task names (`memory.model`); nothing else is looked at then. */
  readonly path?: string;
  /** The user's cache; by default that of the platform. */
  readonly cacheFolder?: string;
  /** The package's own `models/`. */
  readonly packageFolder?: string;
}

/** The folders in which a model is looked for, the first to be tried first. */
export function modelFolders(places: ModelPlaces, { model }: ModelManifest = MINI_LM): string[] {
  if (places.path !== undefined) return [resolve(places.path)];
  return [
    join(places.packageFolder ?? packageModelsFolder(), model),
    join(places.cacheFolder ?? userCacheFolder(), model),
  ];
}

/** The `models/` of this package: two folders above the sources and the library, one above the bundle. */
export function packageModelsFolder(): string {
  const here = import.meta.url;
  return fileURLToPath(new URL(here.endsWith('.cjs') ? '../models' : '../../models', here));
}

/** Where models that were pulled lie: `sortie/models` in the user's cache of the platform. */
export function userCacheFolder(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  const home = homedir();
  const caches =
    platform === 'win32'
      ? (env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(home, 'Library', 'Caches')
        : (env['XDG_CACHE_HOME'] ?? '') || join(home, '.cache');
  return join(caches, 'sortie', 'models');
}

/**
 * The first of the folders whose files are all as the manifest says, by size and SHA-256. Throws `weights_missing` where
 * none holds the model, else `weights_invalid` with what is wrong with it.
 */
export async function findModel(folders: readonly string[], manifest: ModelManifest): Promise<string> {
  let damage: OrchestratorError | undefined;
  for (const folder of folders) {
    const faults = await findFaults(folder, manifest);
    if (faults.length === 0) return folder;
    // What is there in part is damaged; where not even the weights are, nothing is.
    if (faults.some(({ isWeights, isMissing }) => isWeights && isMissing)) continue;
    const words = faults.map(({ message }) => message).join('; ');
    damage ??= new OrchestratorError('weights_invalid', `the model in ${folder} is damaged: ${words}`, {
      details: { folder, faults: faults.map(({ message }) => message) },
    });
  }
  if (damage !== undefined) throw damage;
  throw new OrchestratorError('weights_missing', `there is no ${manifest.model} in ${folders.join(' or ')}`, {
    details: { folders },
  });
}

interface Fault {
  readonly message: string;
  readonly isWeights: boolean;
  readonly isMissing: boolean;
}

async function findFaults(folder: string, { files }: ModelManifest): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [index, file] of files.entries()) {
    const found = await checkFile(join(folder, file.path), file);
    if (found !== undefined) faults.push({ ...found, isWeights: index === 0 });
  }
  return faults;
}

/** What was found of a file, as long as nothing about the file has changed. */
const digests = new Map<string, { readonly stamp: string; readonly sha256: string }>();

/** What is wrong with a file of a model; undefined where it is byte for byte what it must be. */
export async function checkFile(
  path: string,
  { path: name, bytes, sha256 }: ModelFile,
): Promise<{ readonly message: string; readonly isMissing: boolean } | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) return { message: `${name} is missing`, isMissing: true };
  if (found.size !== bytes) {
    return { message: `${name} has ${found.size} bytes instead of ${bytes}`, isMissing: false };
  }
  const stamp = `${found.ino}-${found.mtimeMs}-${found.ctimeMs}`;
  const known = digests.get(path);
  const actual = known?.stamp === stamp ? known.sha256 : await digestFile(path);
  digests.set(path, { stamp, sha256: actual });
  if (actual === sha256) return undefined;
  return { message: `${name} has other bytes than it must (SHA-256 ${actual})`, isMissing: false };
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
