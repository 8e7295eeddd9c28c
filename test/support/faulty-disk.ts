import type { FileHandle } from 'node:fs/promises';
import { type Disk, realDisk } from '../../src/flight/disk.ts';

/** The calls that can be made to fail: a sync is `fsync` or `fdatasync`. */
export type FaultyCall = 'open' | 'write' | 'sync' | 'rename' | 'mkdir';

/** A disk on which the nth call of a kind fails, and every later one of that kind; counts all of them. */
export class FaultyDisk {
  readonly counts: Record<FaultyCall, number> = { open: 0, write: 0, sync: 0, rename: 0, mkdir: 0 };
  /** Every call so far, with the flags of an open, in order of their starts. */
  readonly journal: string[] = [];
  /** The most bytes that one write takes. */
  maxWriteBytes = Number.POSITIVE_INFINITY;
  /** Called before each write. */
  onWrite: () => Promise<void> | void = () => undefined;
  #failing: { call: FaultyCall; nth: number } | null = null;

  failAt(call: FaultyCall, nth: number): void {
    this.#failing = { call, nth };
  }

  /** From now on nothing fails. */
  heal(): void {
    this.#failing = null;
  }

  readonly disk: Disk = {
    ...realDisk,
    open: async (...args: Parameters<Disk['open']>) => {
      this.#count('open', args[1]);
      return this.#wrap(await realDisk.open(...args));
    },
    rename: (from, to) => this.#guard('rename', () => realDisk.rename(from, to)),
    mkdir: ((...args: Parameters<Disk['mkdir']>) =>
      this.#guard('mkdir', () => realDisk.mkdir(...args))) as Disk['mkdir'],
  };

  #count(call: FaultyCall, flags?: string | number): void {
    this.counts[call]++;
    this.journal.push(flags === undefined ? call : `${call} ${flags}`);
    const failing = this.#failing;
    if (failing?.call === call && this.counts[call] >= failing.nth) {
      throw Object.assign(new Error(`ENOSPC: no space left on device, ${call}`), { code: 'ENOSPC' });
    }
  }

  async #guard<T>(call: FaultyCall, action: () => Promise<T>): Promise<T> {
    this.#count(call);
    return action();
  }

  #wrap(handle: FileHandle): FileHandle {
    const replaced: Record<string, unknown> = {
      write: async (bytes: Buffer, offset: number, length: number, position: number) => {
        await this.onWrite();
        this.#count('write');
        return handle.write(bytes, offset, Math.min(length, this.maxWriteBytes), position);
      },
      sync: () => this.#guard('sync', () => handle.sync()),
      datasync: () => this.#guard('sync', () => handle.datasync()),
    };
    return new Proxy(handle, {
      get(target, name) {
        if (typeof name === 'string' && Object.hasOwn(replaced, name)) return replaced[name];
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}
