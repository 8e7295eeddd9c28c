import { OrchestratorError } from '../kernel/errors.ts';
import { toPlainJson } from '../kernel/json.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type MemoryEntry, memoryRecordSchema } from '../contracts/memory.ts';
import { type Code, encodeVector } from './dot-products.ts';
import { wordHashesOf } from './similarity.ts';

/** An entry with all that a store computes of it before it writes. */
export interface PreparedEntry {
  readonly entry: MemoryEntry;
  readonly json: string;
  readonly bytes: number;
  readonly words: Uint32Array;
  readonly code?: Code;
}

/** The entry made ready for a store; throws `memory_invalid` where it is no record, or its vector has no direction. */
export function prepareEntry(entry: MemoryEntry): PreparedEntry {
  const parsed = memoryRecordSchema.safeParse(entry.record);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(entry, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is no record'}`);
  }
  const { embedding } = entry;
  if (embedding !== undefined && !isUnit(embedding.vector)) {
    throw invalid(entry, 'its vector is not of unit length');
  }
  const json = canonicalJson(toPlainJson(parsed.data));
  return {
    entry,
    json,
    bytes: sizeOf(json, embedding),
    words: wordHashesOf(entry.record.text),
    ...(embedding === undefined ? {} : { code: encodeVector(embedding.vector) }),
  };
}

/** The bytes that an entry counts in a store, as `stats` and `keepBytes` have them. */
export function bytesOf({ record, embedding }: MemoryEntry): number {
  return sizeOf(canonicalJson(toPlainJson(record)), embedding);
}

function sizeOf(json: string, embedding: MemoryEntry['embedding']): number {
  return Buffer.byteLength(json) + (embedding?.vector.byteLength ?? 0);
}

function isUnit(vector: Float32Array): boolean {
  let sum = 0;
  for (const value of vector) sum += value * value;
  return Math.abs(sum - 1) < 0.01;
}

function invalid({ record }: MemoryEntry, what: string): OrchestratorError {
  return new OrchestratorError('memory_invalid', `memory "${record.id}" cannot be kept: ${what}`, {
    hint: 'Correct the memory.',
  });
}
