import { existsSync } from 'node:fs';
import type {
  ForgetRequest,
  ListQuery,
  MemoryEntry,
  MemoryHit,
  MemoryPage,
  MemoryStats,
  MemoryStore,
  VectorQuery,
  WordQuery,
} from '../contracts/memory.ts';
import { InMemoryStore } from './in-memory-store.ts';
import type { SqliteFileOptions } from './sqlite-file.ts';
import { sumStats } from './sum-stats.ts';

/** What stands in for files where SQLite cannot be loaded, by path: what one run leaves the next of the process finds. */
const standIns = new Map<string, MemoryStore>();

/**
 * A SQLite store of which nothing is loaded and no file made before something is kept: to read where there is no file
 * finds nothing. Where SQLite cannot be loaded, memories last as long as this process, and `warn` is told so once.
 */
export class LazyMemoryStore implements MemoryStore {
  readonly #options: SqliteFileOptions;
  #opening: Promise<MemoryStore> | undefined;
  #isClosed = false;

  constructor(options: SqliteFileOptions) {
    this.#options = options;
  }

  async put(scope: string, entries: readonly MemoryEntry[]): Promise<void> {
    if (entries.length > 0) await (await this.#open()).put(scope, entries);
  }

  async searchByVector(query: VectorQuery): Promise<readonly MemoryHit[]> {
    return (await this.#find())?.searchByVector(query) ?? [];
  }

  async searchByWords(query: WordQuery): Promise<readonly MemoryHit[]> {
    return (await this.#find())?.searchByWords(query) ?? [];
  }

  async list(query: ListQuery): Promise<MemoryPage> {
    return (await this.#find())?.list(query) ?? { entries: [] };
  }

  async forget(request: ForgetRequest): Promise<number> {
    return (await this.#find())?.forget(request) ?? 0;
  }

  async stats(scope: string): Promise<MemoryStats> {
    return (await this.#find())?.stats(scope) ?? sumStats([]);
  }

  async scopes(): Promise<readonly string[]> {
    return (await this.#find())?.scopes() ?? [];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const store = await this.#opening?.catch(() => undefined);
    // A stand-in is for the runs that follow, too.
    if (store !== standIns.get(this.#options.path)) await store?.close();
  }

  /** The store where there is anything to find. */
  async #find(): Promise<MemoryStore | undefined> {
    const { path } = this.#options;
    if (this.#opening === undefined && !standIns.has(path) && !existsSync(path)) return undefined;
    return this.#open();
  }

  #open(): Promise<MemoryStore> {
    this.#opening ??= this.#isClosed ? Promise.resolve(new InMemoryStore()) : openStore(this.#options);
    return this.#opening;
  }
}

async function openStore(options: SqliteFileOptions): Promise<MemoryStore> {
  const standIn = standIns.get(options.path);
  if (standIn !== undefined) return standIn;
  const problem = await findSqliteProblem();
  if (problem === null) return new (await import('./sqlite-store.ts')).SqliteMemoryStore(options);
  const created = new InMemoryStore();
  standIns.set(options.path, created);
  options.warn(
    `better-sqlite3 cannot be loaded (${problem}): what is remembered lasts as long as this process, not in ${options.path}`,
  );
  return created;
}

/** Why SQLite cannot be used in this process; null where it can. Its native part loads with the first database. */
export async function findSqliteProblem(): Promise<string | null> {
  try {
    const { default: Sqlite } = await import('better-sqlite3');
    new Sqlite(':memory:').close();
    return null;
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  }
}
