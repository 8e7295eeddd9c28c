import { resolve } from 'node:path';
import { OrchestratorError } from '../kernel/errors.ts';
import { findTransformers } from '../memory/find-transformers.ts';
import { findModel, modelFolders, type ModelPlaces } from '../memory/model-files.ts';
import { MINI_LM, type ModelManifest, readManifest, vectorModel } from '../memory/model-manifest.ts';
import { type PullProgress, pullModel } from '../memory/pull-model.ts';
import type { ChosenMemory, MemorySettings } from './memory-admin.ts';

export type { PullProgress };

/** A model whose files are all as they must be, by size and SHA-256. */
export interface FoundModel {
  /** As vectors name it. */
  readonly model: string;
  readonly folder: string;
  readonly bytes: number;
}

/** Finds and verifies the model of a memory; throws `weights_missing` or `weights_invalid`. Loads nothing. */
export async function verifyMemoryModel(settings: MemorySettings): Promise<FoundModel> {
  const { manifest, places } = await readModel(settings);
  return describe(manifest, await findModel(modelFolders(places, manifest), manifest));
}

/**
 * Gets what is missing or damaged of the model of a memory: into the folder that the task names, else into the user's
 * cache. Gets nothing where it is whole already. Throws `download_failed`, `weights_invalid` or `aborted`.
 */
export async function pullMemoryModel(
  settings: MemorySettings,
  options: {
    readonly endpoint?: string;
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: PullProgress) => void;
  },
): Promise<FoundModel & { readonly isPulled: boolean }> {
  const { manifest, places } = await readModel(settings);
  try {
    const folder = await findModel(modelFolders(places, manifest), manifest);
    return { ...describe(manifest, folder), isPulled: false };
  } catch (error) {
    if (!(error instanceof OrchestratorError)) throw error;
  }
  if (manifest !== MINI_LM && manifest.source === undefined) {
    throw new OrchestratorError(
      'weights_missing',
      `the manifest of ${manifest.model} names no \`source\` to pull it from`,
      { hint: 'Put its files there by hand, or name the repository on the hub in manifest.json.' },
    );
  }
  const folder = await pullModel({
    manifest,
    ...(places.path === undefined ? {} : { folder: places.path }),
    ...options,
  });
  return { ...describe(manifest, folder), isPulled: true };
}

/** What embeds texts here. */
export interface WorkingEmbedder {
  /** The package that runs the model. */
  readonly library: string;
  readonly model: string;
  readonly dimensions: number;
}

/** Embeds a text to see that it can be done; null where the task compares by words. Throws what the embedder throws. */
export async function tryEmbedder({
  embedder,
  workspace,
}: Pick<ChosenMemory, 'embedder' | 'workspace'>): Promise<WorkingEmbedder | null> {
  if (embedder === null) return null;
  const { model, vector } = await embedder.embed('Is there anybody?');
  return { library: findTransformers([workspace]).name, model, dimensions: vector.length };
}

async function readModel({
  memory: { model },
  workspace,
}: MemorySettings): Promise<{ readonly manifest: ModelManifest; readonly places: ModelPlaces }> {
  if (model === undefined) return { manifest: MINI_LM, places: {} };
  const path = resolve(workspace, model);
  return { manifest: await readManifest(path), places: { path } };
}

function describe(manifest: ModelManifest, folder: string): FoundModel {
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  return { model: vectorModel(manifest), folder, bytes };
}
