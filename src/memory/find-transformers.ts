import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OrchestratorError } from '../kernel/errors.ts';

/** The packages that can run the model, the maintained one first. */
const PACKAGES = ['@huggingface/transformers', '@xenova/transformers'] as const;

/** A package that runs the model. */
export interface TransformersLibrary {
  readonly name: (typeof PACKAGES)[number];
  readonly url: string;
}

/**
 * The package that runs models, as it is installed beside this one or reachable from one of the folders; throws
 * `embedding_failed` where neither is.
 */
export function findTransformers(folders: readonly string[]): TransformersLibrary {
  for (const name of PACKAGES) {
    for (const from of [...folders.map((folder) => join(folder, 'package.json')), import.meta.url]) {
      try {
        return { name, url: pathToFileURL(createRequire(from).resolve(name)).href };
      } catch {
        // Not there; the next place.
      }
    }
  }
  throw new OrchestratorError('embedding_failed', `neither ${PACKAGES.join(' nor ')} is installed`, {
    retry: 'PERMANENT',
    blame: 'user',
    hint: 'Install one beside this package: `npm install @huggingface/transformers`.',
  });
}
