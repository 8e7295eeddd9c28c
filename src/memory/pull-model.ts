import { copyFile, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ReadableStream } from 'node:stream/web';
import { OrchestratorError } from '../kernel/errors.ts';
import { makeFolderSync } from './make-folder.ts';
import { checkFile, packageModelsFolder, userCacheFolder } from './model-files.ts';
import { MINI_LM, type ModelFile, type ModelManifest } from './model-manifest.ts';

const HUB = 'https://huggingface.co';

/** A server that sends nothing for so long is given up. */
const IDLE_MS = 30_000;

/** How far a download is; bytes of all files together. */
export interface PullProgress {
  readonly file: string;
  readonly receivedBytes: number;
  readonly totalBytes: number;
}

/** What to pull, from where, to where. */
export interface PullOptions {
  readonly manifest?: ModelManifest;
  /** Where the model goes; its folder in the cache by default. */
  readonly folder?: string;
  /** The cache of models; the model gets a folder in it. */
  readonly cacheFolder?: string;
  /** The package's own `models/`, from which is copied what it holds. */
  readonly packageFolder?: string;
  /** The hub; by default `HF_ENDPOINT`, else Hugging Face's own. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: PullProgress) => void;
}

/**
 * Gets what is missing of a model, or damaged, and says in which folder it lies. An interrupted download goes on where
 * it stopped; a file appears only when its bytes are what they must be. Throws `download_failed` or `weights_invalid`.
 */
export async function pullModel(options: PullOptions = {}): Promise<string> {
  const manifest = options.manifest ?? MINI_LM;
  const folder = options.folder ?? join(options.cacheFolder ?? userCacheFolder(), manifest.model);
  const packaged = join(options.packageFolder ?? packageModelsFolder(), manifest.model);
  const totalBytes = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  let doneBytes = 0;
  for (const file of manifest.files) {
    const report = (receivedBytes: number): void =>
      options.onProgress?.({ file: file.path, receivedBytes: doneBytes + receivedBytes, totalBytes });
    const target = join(folder, file.path);
    if ((await checkFile(target, file)) !== undefined) {
      makeFolderSync(dirname(target));
      if ((await checkFile(join(packaged, file.path), file)) === undefined) {
        await copyFile(join(packaged, file.path), `${target}.part`);
      } else {
        await downloadWhole(
          urlOf(manifest, file, options.endpoint),
          `${target}.part`,
          file,
          report,
          options.signal,
        );
      }
      await accept(target, file);
    }
    report(file.bytes);
    doneBytes += file.bytes;
  }
  return folder;
}

function urlOf({ model, source }: ModelManifest, { path }: ModelFile, endpoint: string | undefined): string {
  const hub = endpoint ?? (process.env['HF_ENDPOINT'] || HUB);
  return `${hub.replace(/\/+$/, '')}/${source ?? model}/resolve/main/${path}`;
}

async function accept(target: string, file: ModelFile): Promise<void> {
  const part = `${target}.part`;
  const fault = await checkFile(part, file);
  if (fault === undefined) return rename(part, target);
  await rm(part, { force: true });
  throw new OrchestratorError('weights_invalid', `what was downloaded is not ${target}: ${fault.message}`, {
    details: { path: target },
    hint: 'Check HF_ENDPOINT: it serves another file under this name.',
  });
}

/** Downloads a file; where the rest of one does not complete what was there, all of it. */
async function downloadWhole(...args: Parameters<typeof download>): Promise<void> {
  const [, part, file] = args;
  const isRest = (await stat(part).catch(() => undefined)) !== undefined;
  await download(...args);
  if (!isRest || (await checkFile(part, file)) === undefined) return;
  await rm(part);
  await download(...args);
}

/** Downloads the rest of a file to its end. */
async function download(
  url: string,
  part: string,
  file: ModelFile,
  report: (receivedBytes: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const idle = new AbortController();
  const giveUp = (): void => idle.abort(new Error(`nothing came for ${IDLE_MS / 1000} s`));
  let timer = setTimeout(giveUp, IDLE_MS);
  const end = (): void => idle.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  let received = 0;
  try {
    const known = (await stat(part).catch(() => undefined))?.size ?? 0;
    const from = known < file.bytes ? known : 0;
    const response = await fetch(url, {
      signal: idle.signal,
      // Without this a server may pack the bytes, whose ranges would be others.
      headers: { 'accept-encoding': 'identity', ...(from > 0 ? { range: `bytes=${from}-` } : {}) },
    });
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const isRest = response.status === 206;
    received = isRest ? from : 0;
    const kept = await open(part, isRest ? 'a' : 'w');
    try {
      for await (const chunk of response.body as ReadableStream<Uint8Array>) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, IDLE_MS);
        received += chunk.length;
        if (received > file.bytes) throw new Error(`more than ${file.bytes} bytes came`);
        // What is reported is kept, whenever it is interrupted.
        await kept.appendFile(chunk);
        report(received);
      }
    } finally {
      await kept.close();
    }
    if (received < file.bytes)
      throw new Error(`the connection ended after ${received} of ${file.bytes} bytes`);
  } catch (error) {
    // More than there can be: what came before it is not of this file either.
    if (received > file.bytes) await rm(part, { force: true });
    const reason = idle.signal.aborted ? (idle.signal.reason as unknown) : error;
    if (signal?.aborted === true) {
      throw new OrchestratorError('aborted', `the download of ${url} was ended`, {
        hint: '`orchestrate memory pull` goes on where it stopped.',
        cause: reason,
      });
    }
    throw new OrchestratorError('download_failed', `${url}: ${describe(reason)}`, {
      details: { url },
      cause: reason,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
