/*
 * Values that follow from the log of a run, kept beside it so that nobody has to read it whole for them. Each is stored
 * with the size, the time of the last change and the end of the log that it was derived from; the end holds a checksum
 * chained over everything before.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject, type Json } from '../kernel/json.ts';
import type { Disk } from './disk.ts';

/** More than a line's checksum with what encloses it. */
const END_BYTES = 64;

/** The derived values of one run. */
export class DerivedValues {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #log: string;

  /** `folder` is theirs alone; `log` is the file that they follow from. */
  constructor(disk: Disk, folder: string, log: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#log = log;
  }

  /** The value under a name: the stored one while the log is as it was, else `compute`'s, which is stored if it can be. */
  async get(name: string, compute: () => Promise<Json>): Promise<Json> {
    const path = join(this.#folder, `${name}.json`);
    const stamp = await this.#stamp();
    const stored = stamp === null ? undefined : await this.#read(path, stamp);
    if (stored !== undefined) return stored;
    const value = await compute();
    if (stamp !== null) await this.#store(path, JSON.stringify({ log: stamp, value }));
    return value;
  }

  /** What tells one state of the log from another; null where it cannot be read. */
  async #stamp(): Promise<string | null> {
    try {
      const handle = await this.#disk.open(this.#log, 'r');
      try {
        const { size, mtimeMs } = await handle.stat();
        const end = Buffer.alloc(Math.min(size, END_BYTES));
        await handle.read(end, 0, end.length, size - end.length);
        return `${size} ${mtimeMs} ${end.toString('base64')}`;
      } finally {
        await handle.close();
      }
    } catch {
      return null;
    }
  }

  async #read(path: string, stamp: string): Promise<Json | undefined> {
    try {
      const stored: unknown = JSON.parse(await this.#disk.readFile(path, 'utf8'));
      return isJsonObject(stored) && stored['log'] === stamp ? stored['value'] : undefined;
    } catch {
      return undefined;
    }
  }

  /** Nothing depends on it: in a folder that cannot be written it is computed each time. */
  async #store(path: string, text: string): Promise<void> {
    const temporary = `${path}.${randomUUID()}`;
    try {
      await this.#disk.mkdir(this.#folder, { recursive: true });
      const handle = await this.#disk.open(temporary, 'w');
      await handle.writeFile(text).finally(() => handle.close());
      await this.#disk.rename(temporary, path);
    } catch {
      await this.#disk.rm(temporary, { force: true }).catch(() => undefined);
    }
  }
}
