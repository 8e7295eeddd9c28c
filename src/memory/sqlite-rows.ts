import type Database from 'better-sqlite3';
import type { MemoryEntry, MemoryRecord } from '../contracts/memory.ts';
import type { PreparedEntry } from './prepared-entry.ts';
import { statement, valueStatement } from './sqlite-statement.ts';

/** Readers that know the removals before these read their indexes anew. */
const KEPT_REMOVALS = 10_000;

/** A row of `memories` with its vector, as it is read. */
export interface EntryRow {
  readonly row: number;
  readonly at: number;
  readonly record: string;
  readonly model: string;
  readonly vector: Buffer | null;
}

/** Adds an entry, in place of the one with its id; within a transaction. */
export function insertEntry(database: Database.Database, scope: string, prepared: PreparedEntry): void {
  const { entry, json, bytes, words, code } = prepared;
  const { record, embedding } = entry;
  const known = valueStatement(database, 'SELECT row FROM memories WHERE scope = ? AND id = ?');
  const replaced = known.get(scope, record.id) as number | undefined;
  if (replaced !== undefined) removeRow(database, replaced);
  const wordSpace = obtainSpace(database, scope, record.tier, '', 0);
  const codeSpace =
    embedding === undefined
      ? null
      : obtainSpace(database, scope, record.tier, embedding.model, embedding.vector.length);
  const { lastInsertRowid: row } = statement(
    database,
    `INSERT INTO memories (scope, id, tier, at, bytes, model, record, word_space, code_space)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[scope, record.id, record.tier, record.provenance.at, bytes, embedding?.model ?? '', json],
    ...[wordSpace, codeSpace],
  );
  statement(database, 'INSERT INTO words VALUES (?, ?, ?)').run(wordSpace, row, toBytes(words));
  if (embedding === undefined || code === undefined) return;
  statement(database, 'INSERT INTO codes VALUES (?, ?, ?, ?)').run(
    codeSpace,
    row,
    code.scale,
    toBytes(code.code),
  );
  statement(database, 'INSERT INTO vectors VALUES (?, ?)').run(row, toBytes(embedding.vector));
}

/** Removes a row and all that belongs to it, and tells the readers; within a transaction. */
export function removeRow(database: Database.Database, row: number): void {
  const spaces = statement(
    database,
    'DELETE FROM memories WHERE row = ? RETURNING word_space AS words, code_space AS codes',
  ).get(row) as { words: number; codes: number | null } | undefined;
  if (spaces === undefined) return;
  statement(database, 'DELETE FROM words WHERE space = ? AND row = ?').run(spaces.words, row);
  if (spaces.codes !== null) {
    statement(database, 'DELETE FROM codes WHERE space = ? AND row = ?').run(spaces.codes, row);
    statement(database, 'DELETE FROM vectors WHERE row = ?').run(row);
  }
  const { lastInsertRowid: seq } = statement(database, 'INSERT INTO removed (row) VALUES (?)').run(row);
  statement(database, 'DELETE FROM removed WHERE seq <= ?').run(Number(seq) - KEPT_REMOVALS);
}

function obtainSpace(
  database: Database.Database,
  ...key: [scope: string, tier: string, model: string, dimensions: number]
): number {
  const known = findSpace(database, ...key);
  if (known !== undefined) return known;
  const insert = statement(
    database,
    'INSERT INTO spaces (scope, tier, model, dimensions) VALUES (?, ?, ?, ?)',
  );
  return Number(insert.run(...key).lastInsertRowid);
}

/** The number of a space: the words of a scope and tier (no model, no dimensions) or its codes of a model. */
export function findSpace(
  database: Database.Database,
  ...key: [scope: string, tier: string, model: string, dimensions: number]
): number | undefined {
  return valueStatement(
    database,
    'SELECT space FROM spaces WHERE scope = ? AND tier = ? AND model = ? AND dimensions = ?',
  ).get(...key) as number | undefined;
}

/** The record of a row. */
export function readRecord({ record }: Pick<EntryRow, 'record'>): MemoryRecord {
  return JSON.parse(record) as MemoryRecord;
}

/** The entry of a row. */
export function readEntry(row: EntryRow): MemoryEntry {
  const record = readRecord(row);
  if (row.vector === null) return { record };
  return { record, embedding: { model: row.model, vector: new Float32Array(copyBytes(row.vector)) } };
}

/** Bytes of a blob as typed arrays take them: at an address of their own. */
export function copyBytes(blob: Buffer): ArrayBuffer {
  return blob.buffer.slice(blob.byteOffset, blob.byteOffset + blob.byteLength) as ArrayBuffer;
}

/** The vector in a blob, whose bytes it shares where their address allows. */
export function floatsOf(blob: Buffer): Float32Array {
  const { buffer, byteOffset, byteLength } = blob;
  if (byteOffset % Float32Array.BYTES_PER_ELEMENT !== 0) return new Float32Array(copyBytes(blob));
  return new Float32Array(buffer, byteOffset, byteLength / Float32Array.BYTES_PER_ELEMENT);
}

function toBytes(array: Float32Array | Uint32Array | Int8Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}
