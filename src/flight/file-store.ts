import { randomUUID } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { OpenRun, RunStore } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { BlobFolder } from './blobs.ts';
import { DerivedValues } from './derived.ts';
import { type Disk, hasErrorCode, makeFolder, realDisk, syncFolder, writeFully, writeWhole } from './disk.ts';
import type { FlightEvent } from './events.ts';
import { Inbox } from './inbox.ts';
import { FileFlightLog, openLogFile, SYNC_MODE, type SyncMode } from './file-log.ts';
import { isLocked, takeLock } from './lock.ts';
import { type LogContents, readLog } from './read-log.ts';
import { checkArtifactName, checkRunId, isRunId, resolveRunId, sortNewestFirst } from './run-ids.ts';

const LOG_FILE = 'flight.jsonl';
const BLOB_FOLDER = 'blobs';
const INBOX_FOLDER = 'inbox';
const DERIVED_FOLDER = 'derived';
const REMOVED_PREFIX = '.removed-';

/**
 * Runs as folders under one root: `<run-id>/flight.jsonl`, `blobs/`, `inbox/` and artifacts. Errors of the file system
 * are told as `log_write_failed`, with the path.
 */
export class FileRunStore implements RunStore<FlightEvent> {
  readonly #root: string;
  readonly #disk: Disk;
  readonly #mode: SyncMode;

  constructor(root: string, disk: Disk = realDisk, mode: SyncMode = SYNC_MODE) {
    this.#root = resolve(root);
    this.#disk = disk;
    this.#mode = mode;
  }

  async create(runId: string): Promise<OpenRun<FlightEvent>> {
    checkRunId(runId);
    const folder = join(this.#root, runId);
    await telling(`cannot create the run folder ${folder}`, () => this.#createFolder(runId, folder));
    return this.#openFolder(runId);
  }

  async open(run: string): Promise<OpenRun<FlightEvent>> {
    return this.#openFolder(await this.resolve(run));
  }

  async read(run: string): Promise<readonly FlightEvent[]> {
    const runId = await this.resolve(run);
    return (await this.#readContents(runId)).events;
  }

  async derive(run: string, name: string, from: (events: readonly FlightEvent[]) => Json): Promise<Json> {
    const runId = await this.resolve(run);
    const folder = join(this.#root, runId);
    const derived = new DerivedValues(this.#disk, join(folder, DERIVED_FOLDER), join(folder, LOG_FILE));
    return derived.get(name, async () => from((await this.#readContents(runId)).events));
  }

  async isHeld(run: string): Promise<boolean> {
    return isLocked(this.#disk, join(this.#root, await this.resolve(run)));
  }

  async post(run: string, content: Json): Promise<void> {
    const folder = join(this.#root, await this.resolve(run), INBOX_FOLDER);
    await telling(`cannot write into ${folder}`, () =>
      new Inbox(folder, this.#disk).post(content, Date.now()),
    );
  }

  async resolve(run: string): Promise<string> {
    return resolveRunId(run, await this.list());
  }

  async list(): Promise<readonly string[]> {
    try {
      const entries = await this.#disk.readdir(this.#root, { withFileTypes: true });
      const folders = entries.filter((entry) => entry.isDirectory() && isRunId(entry.name));
      return sortNewestFirst(folders.map((entry) => entry.name));
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return [];
      if (hasErrorCode(error, 'ENOTDIR')) throw noFolder(this.#root);
      throw toWriteError(`cannot list ${this.#root}`, error);
    }
  }

  async remove(run: string): Promise<void> {
    const runId = await this.resolve(run);
    const folder = join(this.#root, runId);
    await telling(`cannot remove ${folder}`, async () => {
      const release = await takeLock(this.#disk, folder);
      try {
        // Out of sight in one step: no other process finds half a run.
        await this.#disk.rename(folder, join(this.#root, `${REMOVED_PREFIX}${randomUUID()}`));
      } catch (error) {
        await release();
        throw error;
      }
      for (const name of await this.#disk.readdir(this.#root)) {
        // Those of a removal that a crash cut short, too.
        if (!name.startsWith(REMOVED_PREFIX)) continue;
        await this.#disk.rm(join(this.#root, name), { recursive: true, force: true });
      }
    });
  }

  /** Makes the folder under another name first, so that a run is never seen without its log. */
  async #createFolder(runId: string, folder: string): Promise<void> {
    await makeFolder(this.#disk, this.#root).catch((error: unknown) => {
      throw hasErrorCode(error, 'EEXIST', 'ENOTDIR') ? noFolder(this.#root) : error;
    });
    const prepared = join(this.#root, `.new-${randomUUID()}`);
    await this.#disk.mkdir(join(prepared, INBOX_FOLDER), { recursive: true });
    try {
      const handle = await this.#disk.open(join(prepared, LOG_FILE), 'wx');
      await handle.sync().finally(() => handle.close());
      await syncFolder(this.#disk, prepared);
      await this.#disk.rename(prepared, folder);
    } catch (error) {
      await this.#disk.rm(prepared, { recursive: true, force: true });
      const isTaken = hasErrorCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM', 'EACCES');
      if (isTaken && (await this.#disk.readdir(this.#root)).includes(basename(folder))) {
        throw new OrchestratorError('run_exists', `there is a run ${runId} already, in ${folder}`);
      }
      throw error;
    }
    await syncFolder(this.#disk, this.#root);
  }

  async #readContents(runId: string): Promise<LogContents> {
    return readContents(this.#disk, join(this.#root, runId, LOG_FILE));
  }

  async #openFolder(runId: string): Promise<OpenRun<FlightEvent>> {
    const folder = join(this.#root, runId);
    const path = join(folder, LOG_FILE);
    return telling(`cannot open the run ${folder}`, async () => {
      const release = await takeLock(this.#disk, folder);
      try {
        const contents = await this.#readContents(runId);
        const handle = await openLogFile(this.#disk, path, this.#mode);
        try {
          await this.#settle(handle, contents);
        } catch (error) {
          await handle.close();
          throw error;
        }
        return this.#openRun(runId, folder, handle, contents, release);
      } catch (error) {
        await release();
        throw error;
      }
    });
  }

  /**
   * Cuts off a torn tail, and writes once more what no line says was durable: it was read, but a writer that was
   * killed, or whose sync failed, may have left it in memory only.
   */
  async #settle(handle: Awaited<ReturnType<Disk['open']>>, contents: LogContents): Promise<void> {
    const { size, settledSize } = contents;
    const unsettled = Buffer.alloc(size - settledSize);
    for (let got = 0; got < unsettled.length;) {
      const { bytesRead } = await handle.read(unsettled, got, unsettled.length - got, settledSize + got);
      if (bytesRead === 0) throw new Error('the log became shorter while it was opened');
      got += bytesRead;
    }
    await handle.truncate(size);
    await writeFully(handle, unsettled, settledSize);
    await handle.sync();
  }

  #openRun(
    runId: string,
    folder: string,
    handle: Awaited<ReturnType<Disk['open']>>,
    contents: LogContents,
    release: () => Promise<void>,
  ): OpenRun<FlightEvent> {
    const disk = this.#disk;
    const log = new FileFlightLog({
      path: join(folder, LOG_FILE),
      handle,
      mode: this.#mode,
      position: contents.size,
      lastSeq: contents.events.length - 1,
      sum: contents.sum,
      blobs: new BlobFolder(join(folder, BLOB_FOLDER), disk),
      blobHashes: contents.blobHashes,
      release,
    });
    return {
      runId,
      folder,
      events: contents.events,
      log,
      async writeArtifact(name, content) {
        checkArtifactName(name);
        const path = join(folder, name);
        await telling(`cannot write ${path}`, async () => {
          await writeWhole(disk, path, content);
          await syncFolder(disk, folder);
        });
      },
      takeInbox: (accept) => new Inbox(join(folder, INBOX_FOLDER), disk).take(accept),
    };
  }
}

/** The events of a lone log file, with `blobs/` beside it where it has any. Throws `run_not_found`, `log_corrupt`. */
export async function readFlightFile(path: string): Promise<readonly FlightEvent[]> {
  const contents = await readContents(realDisk, resolve(path));
  if (contents.events.length === 0) {
    throw new OrchestratorError(
      'log_corrupt',
      `${path} holds no event of a run: it is empty or no flight log`,
      {
        details: { file: path },
        hint: 'Name the flight.jsonl of a run.',
      },
    );
  }
  return contents.events;
}

async function readContents(disk: Disk, path: string): Promise<LogContents> {
  let bytes: Buffer;
  try {
    bytes = await disk.readFile(path);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) {
      throw new OrchestratorError('run_not_found', `there is no log ${path}`);
    }
    throw new OrchestratorError('run_not_found', `cannot read ${path}: ${describe(error)}`, { cause: error });
  }
  const blobs = new BlobFolder(join(dirname(path), BLOB_FOLDER), disk);
  return readLog(bytes, { file: path, readBlob: (hash) => blobs.read(hash) });
}

/** Runs an action; an error of the file system is told with what was tried. */
async function telling<T>(what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw error instanceof OrchestratorError ? error : toWriteError(what, error);
  }
}

function noFolder(root: string): OrchestratorError {
  return new OrchestratorError('usage', `${root} is not a folder: runs are kept in one`, {
    hint: 'Name a folder with --runs-folder.',
  });
}

function toWriteError(what: string, error: unknown): OrchestratorError {
  const isForbidden = hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS');
  return new OrchestratorError('log_write_failed', `${what}: ${describe(error)}`, {
    cause: error,
    ...(isForbidden ? { hint: 'Correct its owner and mode, or name another folder for the runs.' } : {}),
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
