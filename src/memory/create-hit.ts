import type { MemoryHit, MemoryRecord } from '../contracts/memory.ts';

/** A hit of a search; `model` is empty where the memory has no vector. */
export function createHit(record: MemoryRecord, score: number, model: string): MemoryHit {
  return model === '' ? { record, score } : { record, score, model };
}
