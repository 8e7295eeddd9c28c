import { existsSync, constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Where Linux lets a process name what stands below a folder that it holds open. */
const DESCRIPTORS = '/proc/self/fd';

const hasDescriptors = process.platform === 'linux' && existsSync(DESCRIPTORS);

/**
 * A folder held open, so that a name in it is looked up there and nowhere else, whatever becomes of its path. Where the
 * system has no way to say so, the path stands for it, and only that it was a folder when it was opened is known.
 */
export class HeldFolder {
  /** The names on the way from the workspace. */
  readonly names: readonly string[];
  readonly #path: string;
  readonly #handle: FileHandle;

  private constructor(names: readonly string[], path: string, handle: FileHandle) {
    this.names = names;
    this.#path = path;
    this.#handle = handle;
  }

  /** The folder at the real path of a workspace. */
  static async openRoot(path: string): Promise<HeldFolder> {
    return new HeldFolder([], path, await open(path, FOLDER_FLAGS));
  }

  /** A folder in this one; a link in its place is not followed but fails as ELOOP or ENOTDIR. */
  async openChild(name: string): Promise<HeldFolder> {
    const handle = await open(this.at(name), FOLDER_FLAGS);
    return new HeldFolder([...this.names, name], join(this.#path, name), handle);
  }

  /** The path by which a name in this folder is reached; a name is never `..` and holds no slash. */
  at(name: string): string {
    return join(this.self(), name);
  }

  /** The path by which the folder itself is reached. */
  self(): string {
    return hasDescriptors ? `${DESCRIPTORS}/${this.#handle.fd}` : this.#path;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}
