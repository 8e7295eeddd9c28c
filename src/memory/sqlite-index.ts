import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteFile } from './sqlite-file.ts';
import { valueStatement } from './sqlite-statement.ts';

/** An index in memory over rows of the file. */
interface RowIndex {
  readonly isSparse: boolean;
  remove(row: number): void;
}

/** Reads the rows of a space after a row, ascending, at most `limit` of them, into an index, and gives them back. */
type ReadRows<Index> = (
  database: Database.Database,
  index: Index,
  after: number,
  limit: number,
) => readonly { readonly row: number }[];

/** So many rows are read in about a millisecond. */
const CHUNK = 1000;

/** Keeps an index in memory up to date with what any process has written to the file. */
export class SqliteIndex<Index extends RowIndex> {
  readonly #file: SqliteFile;
  readonly #create: () => Index;
  readonly #readRows: ReadRows<Index>;
  #index: Index;
  #lastRow = 0;
  #lastRemoved: number | undefined;
  #generation: number;
  /** The version of the file that has been read to its end. */
  #version: string | undefined;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(file: SqliteFile, create: () => Index, readRows: ReadRows<Index>) {
    this.#file = file;
    this.#create = create;
    this.#readRows = readRows;
    this.#index = create();
    this.#generation = file.generation;
  }

  /** The index as of now. */
  async current(): Promise<Index> {
    const refresh = this.#refreshing.then(() => this.#refresh());
    this.#refreshing = refresh.catch(() => undefined);
    await refresh;
    return this.#index;
  }

  async #refresh(): Promise<void> {
    while (!(await this.#file.use((database) => this.#readNext(database)))) await nextTurn();
  }

  /** True where nothing is left to read. */
  #readNext(database: Database.Database): boolean {
    const version = this.#file.versionOf(database);
    if (version === this.#version) return true;
    this.#applyRemoved(database);
    const rows = this.#readRows(database, this.#index, this.#lastRow, CHUNK);
    this.#lastRow = rows.at(-1)?.row ?? this.#lastRow;
    if (rows.length === CHUNK) return false;
    this.#version = version;
    return true;
  }

  /** A row that is removed after this, and before it is read, is never read; one removed later is seen next time. */
  #applyRemoved(database: Database.Database): void {
    const newest = (valueStatement(database, 'SELECT max(seq) FROM removed').get() as number | null) ?? 0;
    const isKnown = this.#lastRemoved !== undefined && this.#generation === this.#file.generation;
    if (isKnown && newest === this.#lastRemoved) return;
    const oldest = (valueStatement(database, 'SELECT min(seq) FROM removed').get() as number | null) ?? 0;
    if (!isKnown || oldest > (this.#lastRemoved ?? 0) + 1) {
      this.#startAnew();
    } else {
      const rows = valueStatement(database, 'SELECT row FROM removed WHERE seq > ?');
      for (const row of rows.iterate(this.#lastRemoved) as Iterable<number>) this.#index.remove(row);
      if (this.#index.isSparse) this.#startAnew();
    }
    this.#lastRemoved = newest;
  }

  #startAnew(): void {
    this.#index = this.#create();
    this.#lastRow = 0;
    this.#generation = this.#file.generation;
  }
}
