import type Database from 'better-sqlite3';
import {
  type ForgetRequest,
  type ListQuery,
  MEMORY_TIERS,
  type MemoryEntry,
  type MemoryHit,
  type MemoryPage,
  type MemoryStats,
  type MemoryStore,
  type MemoryTier,
  type VectorQuery,
  type WordQuery,
} from '../contracts/memory.ts';
import { createHit } from './create-hit.ts';
import { prepareEntry } from './prepared-entry.ts';
import { cosine, wordHashesOf } from './similarity.ts';
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts';
import { SqliteIndex } from './sqlite-index.ts';
import {
  copyBytes,
  type EntryRow,
  findSpace,
  floatsOf,
  insertEntry,
  readEntry,
  readRecord,
  removeRow,
} from './sqlite-rows.ts';
import { type StatsRow, sumStats } from './sum-stats.ts';
import { candidateCount, type RowScore, VectorIndex } from './vector-index.ts';
import { WordIndex } from './word-index.ts';
import { statement, valueStatement } from './sqlite-statement.ts';

/** Memories in a SQLite file, which several processes may read and write at once. */
export class SqliteMemoryStore implements MemoryStore {
  readonly #file: SqliteFile;
  readonly #vectors = new Map<string, SqliteIndex<VectorIndex>>();
  readonly #words = new Map<string, SqliteIndex<WordIndex>>();

  constructor(options: SqliteFileOptions) {
    this.#file = new SqliteFile(options);
  }

  async put(scope: string, entries: readonly MemoryEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const prepared = entries.map((entry) => prepareEntry(entry));
    await this.#file.change((database) => {
      for (const entry of prepared) insertEntry(database, scope, entry);
    });
  }

  async searchByVector({ scope, tier, limit, embedding }: VectorQuery): Promise<readonly MemoryHit[]> {
    const { vector, model } = embedding;
    const candidates: RowScore[] = [];
    for (const one of tiersOf(tier)) {
      const index = await this.#vectorIndex(scope, one, model, vector.length).current();
      candidates.push(...index.candidates(vector, candidateCount(limit)));
    }
    if (candidates.length === 0) return [];
    return this.#file.read((database) => {
      const read = valueStatement(database, 'SELECT vector FROM vectors WHERE row = ?');
      const exact = candidates.flatMap(({ row }) => {
        const blob = read.get(row) as Buffer | undefined;
        if (blob === undefined) return [];
        return [{ row, score: cosine(floatsOf(blob), vector) }];
      });
      return readHits(database, scope, exact, limit);
    });
  }

  async searchByWords({ scope, tier, limit, text }: WordQuery): Promise<readonly MemoryHit[]> {
    const words = wordHashesOf(text);
    const found: RowScore[] = [];
    for (const one of tiersOf(tier)) {
      const index = await this.#wordIndex(scope, one).current();
      found.push(...index.search(words, limit));
    }
    if (found.length === 0) return [];
    return this.#file.read((database) => readHits(database, scope, found, limit));
  }

  list({ scope, tier, ids, order = 'newest', limit, after }: ListQuery): Promise<MemoryPage> {
    const conditions = [
      'scope = ?',
      ...(tier === undefined ? [] : ['tier = ?']),
      ...(ids === undefined ? [] : ['id IN (SELECT value FROM json_each(?))']),
      ...(after === undefined ? [] : [`(at, row) ${order === 'newest' ? '<' : '>'} (?, ?)`]),
    ];
    const direction = order === 'newest' ? 'DESC' : 'ASC';
    const values = [
      scope,
      ...(tier === undefined ? [] : [tier]),
      ...(ids === undefined ? [] : [JSON.stringify(ids)]),
      ...(after === undefined ? [] : after.split(':').map(Number)),
    ];
    return this.#file.use((database) => {
      const rows = statement(
        database,
        `SELECT row, at, record, model, vector FROM memories LEFT JOIN vectors USING (row)
           WHERE ${conditions.join(' AND ')} ORDER BY at ${direction}, row ${direction} LIMIT ?`,
      ).all(...values, limit + 1) as EntryRow[];
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      return {
        entries: page.map(readEntry),
        ...(rows.length > page.length && last !== undefined ? { next: `${last.at}:${last.row}` } : {}),
      };
    });
  }

  forget(request: ForgetRequest): Promise<number> {
    return this.#file.change((database) => {
      const rows = selectDoomed(database, request);
      for (const row of rows) removeRow(database, row);
      return rows.length;
    });
  }

  stats(scope: string): Promise<MemoryStats> {
    return this.#file.use((database) => {
      const rows = statement(
        database,
        `SELECT memories.tier, memories.model, coalesce(dimensions, 0) AS dimensions,
             count(*) AS entries, sum(bytes) AS bytes, min(at) AS oldest, max(at) AS newest
           FROM memories LEFT JOIN spaces ON space = code_space WHERE memories.scope = ?
           GROUP BY memories.tier, memories.model, dimensions`,
      ).all(scope);
      return sumStats(rows as StatsRow[]);
    });
  }

  scopes(): Promise<readonly string[]> {
    return this.#file.use(
      (database) =>
        valueStatement(database, 'SELECT DISTINCT scope FROM memories ORDER BY scope').all() as string[],
    );
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  #vectorIndex(scope: string, tier: MemoryTier, model: string, dimensions: number): SqliteIndex<VectorIndex> {
    const key = JSON.stringify([scope, tier, model, dimensions]);
    const known = this.#vectors.get(key);
    if (known !== undefined) return known;
    const created = new SqliteIndex(
      this.#file,
      () => new VectorIndex(dimensions),
      (database, index, after, limit) => {
        const space = findSpace(database, scope, tier, model, dimensions);
        const rows = statement(
          database,
          'SELECT row, scale, code FROM codes WHERE space = ? AND row > ? ORDER BY row LIMIT ?',
        ).all(space ?? null, after, limit) as { row: number; scale: number; code: Buffer }[];
        for (const { row, scale, code } of rows) {
          index.add(row, { scale, code: new Int8Array(code.buffer, code.byteOffset, code.length) });
        }
        return rows;
      },
    );
    this.#vectors.set(key, created);
    return created;
  }

  #wordIndex(scope: string, tier: MemoryTier): SqliteIndex<WordIndex> {
    const key = JSON.stringify([scope, tier]);
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const created = new SqliteIndex(
      this.#file,
      () => new WordIndex(),
      (database, index, after, limit) => {
        const space = findSpace(database, scope, tier, '', 0);
        const rows = statement(
          database,
          'SELECT row, words FROM words WHERE space = ? AND row > ? ORDER BY row LIMIT ?',
        ).all(space ?? null, after, limit) as { row: number; words: Buffer }[];
        for (const { row, words } of rows) index.add(row, new Uint32Array(copyBytes(words)));
        return rows;
      },
    );
    this.#words.set(key, created);
    return created;
  }
}

function tiersOf(tier: MemoryTier | undefined): readonly MemoryTier[] {
  return tier === undefined ? MEMORY_TIERS : [tier];
}

function readHits(
  database: Database.Database,
  scope: string,
  rows: readonly RowScore[],
  limit: number,
): MemoryHit[] {
  const read = statement(database, 'SELECT record, model FROM memories WHERE row = ? AND scope = ?');
  return rows
    .toSorted((a, b) => b.score - a.score || b.row - a.row)
    .slice(0, limit)
    .flatMap(({ row, score }) => {
      const found = read.get(row, scope) as EntryRow | undefined;
      return found === undefined ? [] : [createHit(readRecord(found), score, found.model)];
    });
}

function selectDoomed(database: Database.Database, request: ForgetRequest): number[] {
  const where = request.tier === undefined ? 'scope = ?' : 'scope = ? AND tier = ?';
  const values = request.tier === undefined ? [request.scope] : [request.scope, request.tier];
  const select = (sql: string, value: number | string): number[] =>
    valueStatement(database, sql).all(...values, value) as number[];
  if ('ids' in request) {
    return select(
      `SELECT row FROM memories WHERE ${where} AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(request.ids),
    );
  }
  if ('olderThan' in request) {
    return select(`SELECT row FROM memories WHERE ${where} AND at < ?`, request.olderThan);
  }
  const [sum, bound] =
    'keepBytes' in request ? ['sum(bytes)', request.keepBytes] : ['count(*)', request.keepEntries];
  return select(
    `SELECT row FROM (SELECT row, ${sum} OVER (ORDER BY at DESC, row DESC ROWS UNBOUNDED PRECEDING) AS kept FROM memories WHERE ${where})
     WHERE kept > ?`,
    bound,
  );
}
