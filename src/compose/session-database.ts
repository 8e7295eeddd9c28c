import type Database from 'better-sqlite3';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { OrchestratorError } from '../kernel/errors.ts';
import { findSqliteProblem } from '../memory/lazy-store.ts';
import { isDamage } from '../memory/sqlite-file.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './session-schema.ts';

/** How long SQLite waits for another process; an index is written in short steps. */
const BUSY_MS = 3000;

/** The loaded library. */
export type Sqlite = typeof Database;

/** SQLite where it can be loaded; null where it is not installed or its binary does not fit. */
export async function loadSqlite(): Promise<Sqlite | null> {
  return (await findSqliteProblem()) === null ? (await import('better-sqlite3')).default : null;
}

/**
 * Opens an index in WAL mode. One that is damaged, or of another version, is thrown away and begun anew: everything in it
 * can be read from the logs. Where its file cannot be written, it lives in memory. Throws `memory_invalid` for a database
 * of another program.
 */
export function openSessionDatabase(Sqlite: Sqlite, path: string): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openPrepared(Sqlite, path);
  } catch (error) {
    if (isDamage(error) || error instanceof StaleIndex) {
      removeSessionDatabase(path);
      return openPrepared(Sqlite, path);
    }
    if (error instanceof OrchestratorError) throw error;
    return openPrepared(Sqlite, ':memory:');
  }
}

/** Removes the file of an index with what SQLite keeps beside it. */
export function removeSessionDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

class StaleIndex extends Error {}

function openPrepared(Sqlite: Sqlite, path: string): Database.Database {
  const database = new Sqlite(path, { timeout: BUSY_MS });
  try {
    const isNew = database.prepare('SELECT 1 FROM sqlite_master').get() === undefined;
    if (!isNew) checkHeader(database, path);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = NORMAL');
    database
      .transaction(() => {
        // Another process may have made it meanwhile.
        if (database.prepare('SELECT 1 FROM sqlite_master').get() === undefined) database.exec(SCHEMA);
      })
      .immediate();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function checkHeader(database: Database.Database, path: string): void {
  const numberOf = (name: string): number => Number(database.pragma(name, { simple: true }));
  if (numberOf('application_id') !== APPLICATION_ID) {
    throw new OrchestratorError('memory_invalid', `${path} is a database of another program`, {
      details: { path },
    });
  }
  if (numberOf('user_version') !== SCHEMA_VERSION) throw new StaleIndex();
}
