/*
 * Appends to the log of a run with adaptive group commit: while one write is under way, events gather for the next.
 *
 * - One write at a time; a batch is whole lines, at most 1 MiB of them, and its blobs are durable before it is written.
 * - The next batch is armed by setImmediate, so that everything one turn of the event loop brings shares a sync.
 * - A failed write or sync is never tried again: after it nobody can tell what the disk holds.
 */
import { constants, type FileHandle } from 'node:fs/promises';
import type { FlightLog } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { BlobFolder } from './blobs.ts';
import { type Blob, type EncodedEvent, encodeEvent, sealLine } from './codec.ts';
import { type Disk, writeFully } from './disk.ts';
import type { FlightEvent } from './events.ts';

const MAX_BATCH_BYTES = 1 << 20;
/** More than version, `durable` and `sum` take. */
const FRAME_BYTES = 100;

/** How bytes become durable: by the write itself (O_DSYNC), or by a sync after it. */
export type SyncMode = 'write' | 'after';

/** The quickest safe way of this system; elsewhere O_DSYNC is missing or does not reach the platter. */
export const SYNC_MODE: SyncMode = process.platform === 'linux' ? 'write' : 'after';

/** Opens the file of a log for writing in place. */
export function openLogFile(disk: Disk, path: string, mode: SyncMode): Promise<FileHandle> {
  return disk.open(path, mode === 'write' ? constants.O_RDWR | constants.O_DSYNC : 'r+');
}

/** Where a log goes on, and what it writes to. */
export interface LogStart {
  readonly path: string;
  readonly handle: FileHandle;
  readonly mode: SyncMode;
  /** Byte offset of the next line. */
  readonly position: number;
  readonly lastSeq: number;
  /** Sum of the last line. */
  readonly sum: string;
  readonly blobs: BlobFolder;
  /** Blobs that are known to be stored. */
  readonly blobHashes: ReadonlySet<string>;
  /** Lets go of the run; called once, after the file was closed. */
  release(): Promise<void>;
}

interface Waiter {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

const RESOLVED = Promise.resolve();

/** The log of one run in a file; `durableSeq` counts what is synced. */
export class FileFlightLog implements FlightLog<FlightEvent> {
  readonly #start: LogStart;
  readonly #blobHashes: Set<string>;
  readonly #waiters = new Map<number, Waiter>();
  #pending: EncodedEvent[] = [];
  #position: number;
  #sum: string;
  #lastSeq: number;
  #durableSeq: number;
  #isFlushing = false;
  #failure: OrchestratorError | null = null;
  #closing: Promise<void> | null = null;

  constructor(start: LogStart) {
    this.#start = start;
    this.#blobHashes = new Set(start.blobHashes);
    this.#position = start.position;
    this.#sum = start.sum;
    this.#lastSeq = start.lastSeq;
    this.#durableSeq = start.lastSeq;
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }

  append(event: FlightEvent): void {
    if (this.#failure !== null) throw this.#failure;
    if (this.#closing !== null) throw this.#failed('the log is closed');
    if (event.seq !== this.#lastSeq + 1) {
      throw new OrchestratorError('internal', `event ${event.seq} was appended after event ${this.#lastSeq}`);
    }
    this.#pending.push(encodeEvent(event));
    this.#lastSeq = event.seq;
    this.#arm();
  }

  whenDurable(seq: number): Promise<void> {
    if (seq <= this.#durableSeq) return RESOLVED;
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (this.#closing !== null && seq > this.#lastSeq)
      return Promise.reject(this.#failed('the log is closed'));
    let waiter = this.#waiters.get(seq);
    if (waiter === undefined) {
      waiter = createWaiter();
      this.#waiters.set(seq, waiter);
    }
    return waiter.promise;
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    try {
      await this.whenDurable(this.#lastSeq);
    } finally {
      const error = this.#failed('the log was closed before it was written');
      for (const waiter of this.#waiters.values()) waiter.reject(error);
      this.#waiters.clear();
      await this.#start.handle.close().finally(() => this.#start.release());
    }
  }

  #arm(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const { handle, mode, blobs } = this.#start;
    try {
      const batch = this.#takeBatch();
      if (batch.blobs.length > 0) await blobs.write(batch.blobs);
      await writeFully(handle, batch.bytes, this.#position);
      if (mode === 'after') await handle.datasync();
      this.#position += batch.bytes.length;
      this.#durableSeq = batch.lastSeq;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#isFlushing = false;
    if (this.#pending.length > 0) this.#arm();
    for (const [seq, waiter] of this.#waiters) {
      if (seq > this.#durableSeq) continue;
      this.#waiters.delete(seq);
      waiter.resolve();
    }
  }

  /** Seals as many pending events as fit; everything before them is durable by now, and their lines say so. */
  #takeBatch(): { bytes: Buffer; blobs: readonly Blob[]; lastSeq: number } {
    let text = '';
    let size = 0;
    let count = 0;
    const blobs: Blob[] = [];
    for (const encoded of this.#pending) {
      size += Buffer.byteLength(encoded.fields) + FRAME_BYTES;
      if (size > MAX_BATCH_BYTES && count > 0) break;
      for (const blob of encoded.blobs) {
        if (this.#blobHashes.has(blob.hash)) continue;
        this.#blobHashes.add(blob.hash);
        blobs.push(blob);
      }
      const line = sealLine(encoded, this.#durableSeq, this.#sum);
      this.#sum = line.sum;
      text += line.text;
      count++;
    }
    const isAll = count === this.#pending.length;
    this.#pending = isAll ? [] : this.#pending.slice(count);
    return { bytes: Buffer.from(text, 'utf8'), blobs, lastSeq: this.#durableSeq + count };
  }

  #fail(cause: unknown): void {
    const failure = this.#failed(cause instanceof Error ? cause.message : String(cause), cause);
    this.#failure = failure;
    this.#pending = [];
    for (const waiter of this.#waiters.values()) waiter.reject(failure);
    this.#waiters.clear();
  }

  #failed(problem: string, cause?: unknown): OrchestratorError {
    const safe = this.#durableSeq < 0 ? 'no event is' : `the events up to ${this.#durableSeq} are`;
    return new OrchestratorError('log_write_failed', `${this.#start.path}: ${problem}; ${safe} safe`, {
      details: { lastSafeSeq: this.#durableSeq, file: this.#start.path },
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

function createWaiter(): Waiter {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((onDone, onFailed) => {
    resolve = onDone;
    reject = onFailed;
  });
  return { promise, resolve, reject };
}
