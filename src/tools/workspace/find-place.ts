import { lstat, mkdir, readlink, realpath, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { KeptPlaces } from '../../contracts/kept-places.ts';
import type { PermitsTarget } from '../../contracts/tool.ts';
import { ToolError } from '../../kernel/errors.ts';
import { memoryOf, statOf } from './denied-memory.ts';
import { systemCode } from './file-error.ts';
import { HeldFolder } from './held-folder.ts';
import { isProtectedPath, outsideWorkspace, parseWorkspacePath } from './parse-workspace-path.ts';
import { refuseKept } from './refuse-kept.ts';

const MAX_LINKS = 40;

/** Where a path of the workspace leads: a name in a folder that is held open. */
export interface Place {
  readonly folder: HeldFolder;
  /** Null for the workspace itself. */
  readonly name: string | null;
  /** The names on the way from the workspace, links resolved. */
  readonly names: readonly string[];
}

/** How a place is looked for. */
export interface FindOptions {
  /** Makes the folders that are missing on the way. */
  readonly makesFolders?: boolean;
  /** Does not follow the last name where it is a link. */
  readonly keepsLink?: boolean;
  /** Asked about where the path leads in the end. */
  readonly permits?: PermitsTarget | undefined;
  /** What the run keeps from its tools, what it has found denied among it. */
  readonly kept?: KeptPlaces | undefined;
  /** Where the place is to be changed: what may not be. */
  readonly changes?: { readonly kept: KeptPlaces | undefined } | undefined;
}

/**
 * Calls `use` with the place that a path leads to. Every folder on the way is opened in the one before it and no link
 * is followed unseen, so that neither a link nor a folder that is swapped meanwhile leads out of the workspace.
 */
export async function atPlace<T>(
  workspace: string,
  path: string,
  options: FindOptions,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  const root = await realpath(workspace);
  const walk = new Walk(root, path, options);
  try {
    const place = await walk.find(parseWorkspacePath(root, path));
    if (options.permits?.('path', pathOf(place.names)) === false) throw notPermitted(path, place.names);
    await walk.refuseMoved(place);
    if (options.changes !== undefined) walk.refuseProtected(place.names);
    return await use(place);
  } finally {
    await walk.close();
  }
}

/** Names as a path of the workspace. */
export function pathOf(names: readonly string[]): string {
  return names.length === 0 ? '.' : names.join('/');
}

function notPermitted(path: string, names: readonly string[]): ToolError {
  const target = pathOf(names);
  const where = target === path ? '' : ` (where it leads: ${JSON.stringify(target)})`;
  return new ToolError('POLICY', `policy does not permit ${JSON.stringify(path)}${where}`, {
    details: { path, target },
  });
}

/** The error for a file that no tool may change. */
function protectedPath(path: string): ToolError {
  return new ToolError('POLICY', `${JSON.stringify(path)} is not for tools to change`, { details: { path } });
}

class Walk {
  readonly #root: string;
  readonly #path: string;
  readonly #options: FindOptions;
  /** The folders from the workspace down to where the walk has come. */
  #held: HeldFolder[] = [];
  #links = 0;

  constructor(root: string, path: string, options: FindOptions) {
    this.#root = root;
    this.#path = path;
    this.#options = options;
  }

  async find(names: readonly string[]): Promise<Place> {
    this.#held = [await HeldFolder.openRoot(this.#root)];
    const pending = [...names];
    for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
      if (name === '..') {
        await this.#leave();
        continue;
      }
      const isLast = pending.length === 0;
      const target = isLast && this.#options.keepsLink === true ? null : await this.#linkAt(name);
      if (target !== null) pending.unshift(...(await this.#follow(target)));
      else if (isLast) return { folder: this.#here, name, names: [...this.#here.names, name] };
      else await this.#enter(name);
    }
    const here = this.#here;
    // A link may lead to a folder that is held already, the workspace or one below it.
    const parent = this.#held.at(-2);
    return { folder: parent ?? here, name: here.names.at(-1) ?? null, names: here.names };
  }

  /** Throws a ToolError where a place is, or lies in, what policy denies by the name that it had before it was moved. */
  async refuseMoved({ folder, name, names }: Place): Promise<void> {
    const memory = memoryOf((this.#options.kept ?? this.#options.changes?.kept)?.denied);
    if (memory === null || memory.isEmpty) return;
    for (const held of this.#held) {
      const stats = await stat(held.self(), { bigint: true });
      if (memory.isMoved(stats, join(this.#root, ...held.names))) throw notPermitted(this.#path, names);
    }
    const stats = name === null ? null : await statOf(folder.at(name));
    if (memory.isMoved(stats, join(this.#root, ...names))) throw notPermitted(this.#path, names);
  }

  /** Throws a ToolError where names lead to what no tool may change. */
  refuseProtected(names: readonly string[]): void {
    if (isProtectedPath(names)) throw protectedPath(this.#path);
    refuseKept(this.#path, this.#root, names, this.#options.changes?.kept);
  }

  async close(): Promise<void> {
    await Promise.all(this.#held.map((folder) => folder.close()));
  }

  get #here(): HeldFolder {
    const here = this.#held.at(-1);
    if (here === undefined) throw outsideWorkspace(this.#path);
    return here;
  }

  async #enter(name: string): Promise<void> {
    try {
      this.#held.push(await this.#here.openChild(name));
    } catch (error) {
      if (systemCode(error) !== 'ENOENT' || this.#options.makesFolders !== true) throw error;
      this.refuseProtected([...this.#here.names, name]);
      await mkdir(this.#here.at(name)).catch((failure: unknown) => {
        // Another call may make the same folder at the same time.
        if (systemCode(failure) !== 'EEXIST') throw failure;
      });
      this.#held.push(await this.#here.openChild(name));
    }
  }

  async #leave(): Promise<void> {
    if (this.#held.length === 1) throw outsideWorkspace(this.#path);
    await this.#held.pop()?.close();
  }

  /** What a link leads to; null where the name is no link, or nothing. */
  async #linkAt(name: string): Promise<string | null> {
    const place = this.#here.at(name);
    try {
      return (await lstat(place)).isSymbolicLink() ? await readlink(place) : null;
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  /** The names that a link stands for; an absolute one begins at the workspace again, or leads out. */
  async #follow(target: string): Promise<string[]> {
    if (++this.#links > MAX_LINKS) {
      throw new ToolError('PERMANENT', `${JSON.stringify(this.#path)} leads through too many links`, {
        details: { path: this.#path },
      });
    }
    if (!target.startsWith('/')) return namesOf(target);
    const below = posix.relative(this.#root, target);
    // What an absolute target says with `..` after a link is not what its text says.
    if (/(?:^|\/)\.\.(?:\/|$)/.test(target) || below === '..' || below.startsWith('../')) {
      throw outsideWorkspace(this.#path);
    }
    for (const folder of this.#held.splice(1).reverse()) await folder.close();
    return namesOf(below);
  }
}

function namesOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}
