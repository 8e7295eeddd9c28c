import type { MemoryEntry, MemoryRecord } from '../../src/contracts/memory.ts';

/** A fact that says `text`. */
export function fact(id: string, text: string, at = 0): MemoryRecord {
  return { tier: 'semantic', id, text, provenance: { at, run: 'r1', node: id, tool: 'look' } };
}

/** An episode that says `text`. */
export function episode(id: string, text: string, at = 0): MemoryRecord {
  return { tier: 'episodic', id, text, provenance: { at, run: id } };
}

/** A vector of unit length, the same for the same seed; isotropic (mulberry32). */
export function vectorOf(seed: number, dimensions = 32): Float32Array {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const draw = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
  const vector = Float32Array.from({ length: dimensions }, () => draw() + draw() + draw());
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

/** The record with a vector of a model. */
export function embedded(record: MemoryRecord, vector: Float32Array, model = 'm'): MemoryEntry {
  return { record, embedding: { model, vector } };
}
