import { isUtf8 } from 'node:buffer';
import { dirname, join } from 'node:path';
import { sha256 } from '../kernel/hash.ts';
import type { Blob } from './codec.ts';
import { type Disk, hasErrorCode, syncFolder, writeWhole } from './disk.ts';

/** The large values of one run: each is a file named by the SHA-256 of its JSON text. */
export class BlobFolder {
  readonly #folder: string;
  readonly #disk: Disk;
  #hasFolder = false;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Stores values durably, whole or not at all; rejects with the error of the file system. */
  async write(blobs: readonly Blob[]): Promise<void> {
    if (!this.#hasFolder) {
      await this.#disk.mkdir(this.#folder, { recursive: true });
      await syncFolder(this.#disk, dirname(this.#folder));
      this.#hasFolder = true;
    }
    const writes = blobs.map((blob) => writeWhole(this.#disk, this.#pathOf(blob.hash), blob.text));
    // All have ended before the first failure is told, so that nothing is written behind a closed log.
    for (const outcome of await Promise.allSettled(writes)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
    await syncFolder(this.#disk, this.#folder);
  }

  /** The text of a stored value; rejects with a message for people where it is missing or was changed. */
  async read(hash: string): Promise<string> {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error('the reference to a stored value is no hash');
    const path = this.#pathOf(hash);
    let bytes: Buffer;
    try {
      bytes = await this.#disk.readFile(path);
    } catch (error) {
      const problem = hasErrorCode(error, 'ENOENT') ? 'is missing' : `cannot be read (${String(error)})`;
      throw new Error(`the stored value ${path} ${problem}`, { cause: error });
    }
    const text = bytes.toString('utf8');
    if (!isUtf8(bytes) || sha256(text) !== hash) {
      throw new Error(`the stored value ${path} was changed: it does not match its hash`);
    }
    return text;
  }

  #pathOf(hash: string): string {
    return join(this.#folder, `${hash}.json`);
  }
}
