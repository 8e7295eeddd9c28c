/*
 * An index over the sessions of a folder of runs. Owned here: what it holds of them, and that it is up to date whenever it
 * is asked: logs that changed since are read again. It is only an index: a missing or damaged file is made anew.
 */
import type Database from 'better-sqlite3';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RunStore } from '../contracts/ports.ts';
import type { FlightEvent } from '../flight/events.ts';
import { cutText } from '../kernel/cut-text.ts';
import { isDamage } from '../memory/sqlite-file.ts';
import type { FoundMessage, SessionHit } from './own-tools.ts';
import { openSessionDatabase, removeSessionDatabase, type Sqlite } from './session-database.ts';
import { readSession, type SessionLine, type SessionRecord } from './session-record.ts';

const LOG_FILE = 'flight.jsonl';
const HIT_CHARS = 600;

/** Where an index lies, and what it is over. */
export interface SessionIndexOptions {
  readonly path: string;
  readonly runsFolder: string;
  readonly store: RunStore<FlightEvent>;
  /** Told what a person should know of, such as a log that cannot be read. */
  readonly warn: (message: string) => void;
}

interface SessionRow {
  readonly session: string;
  readonly name: string;
  readonly started: number;
  readonly updated: number;
  readonly exchanges: number;
  readonly last_asked: string;
  readonly status: SessionLine['status'];
  readonly origin: string | null;
}

/** An index of sessions, open in this process. */
export class SessionIndex {
  readonly #sqlite: Sqlite;
  readonly #options: SessionIndexOptions;
  #database: Database.Database;

  constructor(Sqlite: Sqlite, options: SessionIndexOptions) {
    this.#sqlite = Sqlite;
    this.#options = options;
    this.#database = openSessionDatabase(Sqlite, options.path);
  }

  /** Sessions, the one that was talked to last first. */
  async list(): Promise<readonly SessionLine[]> {
    return this.#current((database) =>
      (
        database.prepare('SELECT * FROM sessions ORDER BY updated DESC, session DESC').all() as SessionRow[]
      ).map(toLine),
    );
  }

  /**
   * What was said and holds all the words of a query, best first, the last word as the beginning of one; where there is
   * none, what holds the query as it stands. The session `except` is left out.
   */
  async search(query: string, limit: number, except = ''): Promise<readonly FoundMessage[]> {
    const words = query.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
    if (words.length === 0) return [];
    return this.#current((database) => {
      const found = database
        .prepare(
          `SELECT messages.* FROM said JOIN messages ON messages.row = said.rowid
           WHERE said MATCH ? AND session <> ? ORDER BY rank, at DESC LIMIT ?`,
        )
        .all(words.map((word) => `"${word}"`).join(' ') + '*', except, limit) as FoundRow[];
      if (found.length > 0) return found.map(toHit);
      const pattern = `%${query.trim().replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`;
      const holding = database
        .prepare(
          `SELECT * FROM messages WHERE text LIKE ? ESCAPE '\\' AND session <> ? ORDER BY at DESC LIMIT ?`,
        )
        .all(pattern, except, limit) as FoundRow[];
      return holding.map(toHit);
    });
  }

  /** Throws everything away and reads all logs again; the answer is how many sessions there are. */
  async rebuild(): Promise<number> {
    this.#renew();
    return (await this.list()).length;
  }

  close(): void {
    this.#database.close();
  }

  /** What `read` finds once the index is as the logs are. */
  async #current<T>(read: (database: Database.Database) => T): Promise<T> {
    try {
      await this.#refresh();
      return read(this.#database);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#options.warn(`${this.#options.path} is damaged; it is made anew from the logs`);
      this.#renew();
      await this.#refresh();
      return read(this.#database);
    }
  }

  #renew(): void {
    this.#database.close();
    removeSessionDatabase(this.#options.path);
    this.#database = openSessionDatabase(this.#sqlite, this.#options.path);
  }

  async #refresh(): Promise<void> {
    const { store, runsFolder } = this.#options;
    const rows = this.#database.prepare('SELECT run, stamp FROM logs').all() as {
      run: string;
      stamp: string;
    }[];
    const known = new Map(rows.map(({ run, stamp }) => [run, stamp]));
    for (const run of await store.list()) {
      const stamp = await stampOf(join(resolve(runsFolder), run, LOG_FILE));
      if (stamp === null) continue;
      if (known.get(run) !== stamp) await this.#read(run, stamp);
      known.delete(run);
    }
    for (const run of known.keys()) this.#forget(run);
  }

  async #read(run: string, stamp: string): Promise<void> {
    const { store, warn } = this.#options;
    let record: SessionRecord | null = null;
    try {
      record = readSession(run, await store.read(run));
    } catch (error) {
      warn(`the log of ${run} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    this.#put(run, stamp, record);
  }

  #put(run: string, stamp: string, record: SessionRecord | null): void {
    const database = this.#database;
    database
      .transaction(() => {
        remove(database, run);
        database.prepare('INSERT INTO logs VALUES (?, ?, ?)').run(run, stamp, record === null ? 0 : 1);
        if (record === null) return;
        const { session, name, startedAtMs, updatedAtMs, exchanges, lastAsked, status, origin } = record;
        database
          .prepare('INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
          .run(session, name, startedAtMs, updatedAtMs, exchanges, lastAsked, status, origin);
        const add = database.prepare('INSERT INTO messages VALUES (NULL, ?, ?, ?, ?, ?)');
        for (const { key, asked, askedAtMs, answer, endedAtMs } of record.said) {
          add.run(session, key, 'user', askedAtMs, asked);
          if (answer !== null && answer !== '') add.run(session, key, 'assistant', endedAtMs, answer);
        }
      })
      .immediate();
  }

  #forget(run: string): void {
    this.#database.transaction(() => remove(this.#database, run)).immediate();
  }
}

interface FoundRow {
  readonly session: string;
  readonly exchange: string;
  readonly role: SessionHit['role'];
  readonly at: number;
  readonly text: string;
}

function remove(database: Database.Database, run: string): void {
  database.prepare('DELETE FROM messages WHERE session = ?').run(run);
  database.prepare('DELETE FROM sessions WHERE session = ?').run(run);
  database.prepare('DELETE FROM logs WHERE run = ?').run(run);
}

function toHit({ session, exchange, role, at, text }: FoundRow): FoundMessage {
  return { session, exchange, role, at, text: cutText(text, HIT_CHARS) };
}

function toLine({ started, updated, last_asked: lastAsked, ...row }: SessionRow): SessionLine {
  return { ...row, startedAtMs: started, updatedAtMs: updated, lastAsked };
}

/** What tells a log from the one that was read: its file, its size, its last change; null where it is gone. */
async function stampOf(path: string): Promise<string | null> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return null;
  }
}
