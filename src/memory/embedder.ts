import { basename, dirname } from 'node:path';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Embedder, Embedding } from '../contracts/memory.ts';
import { EmbedProcess } from './embed-process.ts';
import { findTransformers } from './find-transformers.ts';
import { findModel, modelFolders, type ModelPlaces } from './model-files.ts';
import { MINI_LM, type ModelManifest, readManifest, vectorModel } from './model-manifest.ts';

/** Where the model and its library are looked for, and how long they may take. */
export interface EmbedderOptions extends ModelPlaces {
  /** Folders from which the transformers packages are looked for, before this package's own. */
  readonly searchFrom?: readonly string[];
  /** Time to load the model, 30 000 ms by default. */
  readonly loadTimeoutMs?: number;
  /** Time to embed one text, 10 000 ms by default. */
  readonly embedTimeoutMs?: number;
}

/** A load that a busy machine may have spoilt is tried again only after this. */
const PAUSE_MS = 60_000;

/** The embedder of the model that the places name; loads nothing yet. Throws `weights_invalid` for a bad manifest. */
export async function createEmbedder(options: EmbedderOptions = {}): Promise<Embedder> {
  const manifest = options.path === undefined ? MINI_LM : await readManifest(options.path);
  return new TransformersEmbedder(options, manifest);
}

/**
 * Embeds with transformers.js in a process of its own, one text at a time, since a batch changes the vectors. The weights
 * are checked before each load. A process that failed is replaced; bytes that could not be loaded are not tried again.
 */
class TransformersEmbedder implements Embedder {
  readonly model: string;
  readonly dimensions: number;
  readonly #options: EmbedderOptions;
  readonly #manifest: ModelManifest;
  #process: EmbedProcess | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  /** What could not be loaded, and until when it is not tried again. */
  #failed: { readonly what: string; readonly error: unknown; readonly until: number } | undefined;
  #isClosed = false;

  constructor(options: EmbedderOptions, manifest: ModelManifest) {
    this.#options = options;
    this.#manifest = manifest;
    this.model = vectorModel(manifest);
    this.dimensions = manifest.dimensions;
  }

  embed(text: string): Promise<Embedding> {
    const result = this.#queue.then(() => this.#embed(text));
    this.#queue = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#process?.end();
    await this.#queue;
  }

  async #embed(text: string): Promise<Embedding> {
    const running = await this.#obtainProcess();
    const vector = await running.embed(text, this.#options.embedTimeoutMs ?? 10_000);
    if (vector.length !== this.dimensions || !vector.every(Number.isFinite)) {
      throw new OrchestratorError(
        'embedding_failed',
        `${this.#manifest.model} gave ${vector.length} numbers instead of ${this.dimensions}`,
        { retry: 'PERMANENT' },
      );
    }
    return { model: this.model, vector };
  }

  async #obtainProcess(): Promise<EmbedProcess> {
    if (this.#isClosed) throw new OrchestratorError('embedding_failed', 'the embedder is closed');
    if (this.#process?.isAlive === true) return this.#process;
    const folder = await findModel(modelFolders(this.#options, this.#manifest), this.#manifest);
    const library = findTransformers(this.#options.searchFrom ?? []);
    const what = `${folder} ${library.url}`;
    if (this.#failed?.what === what && this.#failed.until > Date.now()) throw this.#failed.error;
    const started = new EmbedProcess();
    this.#process = started;
    try {
      await started.load(
        {
          type: 'load',
          library: library.url,
          isOldLine: library.name === '@xenova/transformers',
          root: dirname(folder),
          model: basename(folder),
        },
        this.#options.loadTimeoutMs ?? 30_000,
      );
    } catch (error) {
      const isFinal = error instanceof OrchestratorError && error.retry === 'PERMANENT';
      const until = isFinal ? Number.POSITIVE_INFINITY : Date.now() + PAUSE_MS;
      this.#failed = { what, error, until };
      throw error;
    }
    this.#failed = undefined;
    return started;
  }
}
