import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Json } from '../kernel/json.ts';
import { type Disk, hasErrorCode, makeFolder, syncFolder, writeWhole } from './disk.ts';

const ENTRY = /^\d{15}-[0-9a-f-]+\.json$/;

/** What other processes post to a run: a file each, put in its place by rename, in the order of its names. */
export class Inbox {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(folder: string, disk: Disk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Drops a value, durable when this resolves; `nowMs` (epoch) puts it behind those before. */
  async post(content: Json, nowMs: number): Promise<void> {
    await makeFolder(this.#disk, this.#folder);
    const name = `${String(Math.floor(nowMs)).padStart(15, '0')}-${randomUUID()}.json`;
    await writeWhole(this.#disk, join(this.#folder, name), JSON.stringify(content) + '\n');
    await syncFolder(this.#disk, this.#folder);
  }

  /** Hands over every value, oldest first, and removes them once `accept` resolves; does nothing where there is none. */
  async take(accept: (posted: readonly Json[]) => Promise<void>): Promise<void> {
    const names = (await this.#list()).filter((name) => ENTRY.test(name)).sort();
    if (names.length === 0) return;
    const posted: Json[] = [];
    for (const name of names) {
      const value = parse(await this.#disk.readFile(join(this.#folder, name), 'utf8'));
      if (value !== undefined) posted.push(value);
    }
    await accept(posted);
    for (const name of names) await this.#disk.unlink(join(this.#folder, name));
  }

  async #list(): Promise<string[]> {
    try {
      return await this.#disk.readdir(this.#folder);
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT')) return [];
      throw error;
    }
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
