import type Database from 'better-sqlite3';
import { renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OrchestratorError } from '../kernel/errors.ts';
import { makeFolderSync } from './make-folder.ts';
import { valueStatement } from './sqlite-statement.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './sqlite-schema.ts';

/** Where a store lies, and who hears of what is wrong with it. */
export interface SqliteFileOptions {
  readonly path: string;
  readonly warn: (message: string) => void;
  /** How long a call waits for another process; 10 000 ms by default. */
  readonly busyLimitMs?: number;
}

/**
 * A SQLite file in WAL mode, opened at first use and never truncated. A corrupt one is moved aside under a name that the
 * warning tells, and a new one takes its place. Where another process writes, a call waits without blocking this one.
 */
export class SqliteFile {
  readonly #options: SqliteFileOptions;
  #opening: Promise<Database.Database> | undefined;
  #inode: number | undefined;
  #isClosed = false;
  #changes = 0;
  /** Changes when another file has taken the place of the one that was read. */
  generation = 0;

  constructor(options: SqliteFileOptions) {
    this.#options = options;
  }

  /** What `work` returns, which writes all that it writes or nothing; it may be called again. */
  change<T>(work: (database: Database.Database) => T): Promise<T> {
    return this.use((database) => {
      this.#changes += 1;
      return database.transaction(() => work(database)).immediate();
    });
  }

  /** What `work` returns, which reads one state of the file; it may be called again. */
  read<T>(work: (database: Database.Database) => T): Promise<T> {
    // One transaction, since each statement by itself would take and give back its own lock.
    return this.use((database) => database.transaction(() => work(database)).deferred());
  }

  /** What a reader has seen: the same text as before where no process has written since. */
  versionOf(database: Database.Database): string {
    const others = String(valueStatement(database, 'PRAGMA data_version').get());
    return `${this.generation} ${this.#changes} ${others}`;
  }

  /** What `work` returns, which only reads; it may be called again. */
  async use<T>(work: (database: Database.Database) => T): Promise<T> {
    const deadline = Date.now() + (this.#options.busyLimitMs ?? 10_000);
    for (let attempt = 0, wasReplaced = false; ;) {
      try {
        return work(await this.#open());
      } catch (error) {
        const code = sqliteCode(error);
        if (code.startsWith('SQLITE_BUSY') || code === 'SQLITE_LOCKED') {
          if (Date.now() > deadline)
            throw this.#fail('memory_busy', 'stays locked by another process', error);
          // Processes that wait for each other must not try in step.
          await sleep(Math.min(50, 1 + attempt++) * (0.5 + Math.random()));
        } else if (isDamage(error) && !wasReplaced) {
          wasReplaced = true;
          this.#setAside(error);
        } else if (code === '') {
          throw error;
        } else {
          throw this.#unusable(error);
        }
      }
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const database = await this.#opening?.catch(() => undefined);
    database?.close();
  }

  async #open(): Promise<Database.Database> {
    if (this.#isClosed) throw this.#fail('memory_unavailable', 'is closed already');
    // The file was moved or removed, by whoever found it corrupt or by a person.
    if (this.#inode !== undefined && this.#inode !== inodeOf(this.#options.path)) this.#disconnect();
    this.#opening ??= this.#connect();
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #connect(): Promise<Database.Database> {
    const { path } = this.#options;
    const Sqlite = await loadSqlite();
    this.#makeFolder();
    // A timeout of SQLite's own would block the whole process.
    const database = new Sqlite(path, { timeout: 0 });
    this.#inode = inodeOf(path);
    try {
      this.#prepare(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #makeFolder(): void {
    try {
      makeFolderSync(dirname(this.#options.path));
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  #prepare(database: Database.Database): void {
    const number = (name: string): number => Number(database.pragma(name, { simple: true }));
    const isNew = (): boolean =>
      number('application_id') === 0 &&
      number('user_version') === 0 &&
      database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
    if (!isNew() && number('application_id') !== APPLICATION_ID) {
      throw this.#fail('memory_invalid', 'is a database of another program');
    }
    if (number('user_version') > SCHEMA_VERSION) {
      throw this.#fail('memory_invalid', 'was written by a newer version of this program');
    }
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    // Vectors of 10 000 memories are kept at hand, at 2 KiB each.
    database.pragma('cache_size = -65536');
    // What was forgotten must not stay readable in the file.
    database.pragma('secure_delete = ON');
    database
      .transaction(() => {
        if (isNew()) database.exec(SCHEMA);
      })
      .immediate();
  }

  #setAside(cause: unknown): void {
    const { path, warn } = this.#options;
    const inode = this.#inode;
    this.#disconnect();
    // Where another process has set it aside already, the file that lies there now is a good one.
    if (inode === undefined || inode !== inodeOf(path)) return;
    const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(/[-:.]/g, '')}`;
    for (const suffix of ['', '-wal', '-shm']) {
      if (inodeOf(path + suffix) !== undefined) renameSync(path + suffix, aside + suffix);
    }
    warn(`${path} is corrupt (${describe(cause)}); it is kept as ${aside}, and a new one was begun`);
  }

  #disconnect(): void {
    const opening = this.#opening;
    this.#opening = undefined;
    this.#inode = undefined;
    this.generation += 1;
    void opening?.then(
      (database) => database.close(),
      () => undefined,
    );
  }

  #unusable(cause: unknown): Error {
    return this.#fail('memory_unavailable', `cannot be used: ${describe(cause)}`, cause, {
      hint: 'See that it is a file which can be read and written, and that the disk has room; or name another.',
    });
  }

  #fail(
    code: 'memory_busy' | 'memory_invalid' | 'memory_unavailable',
    what: string,
    cause?: unknown,
    more: { readonly hint?: string } = {},
  ): Error {
    const { path } = this.#options;
    return new OrchestratorError(code, `${path} ${what}`, { details: { path }, cause, ...more });
  }
}

async function loadSqlite(): Promise<typeof Database> {
  try {
    return (await import('better-sqlite3')).default;
  } catch (error) {
    throw new OrchestratorError('memory_unavailable', `better-sqlite3 cannot be loaded: ${describe(error)}`, {
      cause: error,
    });
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function sqliteCode(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  return error instanceof Error && typeof code === 'string' && code.startsWith('SQLITE_') ? code : '';
}

/** True for what SQLite throws where a file is damaged or none of its own. */
export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';
}

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
