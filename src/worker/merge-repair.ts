import type { SchemaIssue } from '../contracts/schema.ts';
import { isJsonObject, type Json, type JsonObject, parsePointer, setOwn } from '../kernel/json.ts';

/**
 * The arguments with a repair taken over where the schema had refused them, and nowhere else: what was right stays as the
 * plan has it, whatever the model that repaired them had read.
 */
export function mergeRepair(
  before: JsonObject,
  repaired: JsonObject,
  issues: readonly SchemaIssue[],
): JsonObject {
  return mergeObject(before, repaired, rootOf(issues));
}

/** The places of issues as a tree: what is wrong is a leaf. */
interface Place {
  isWrong: boolean;
  readonly unknown: Set<string>;
  readonly below: Map<string, Place>;
}

function createPlace(): Place {
  return { isWrong: false, unknown: new Set(), below: new Map() };
}

function rootOf(issues: readonly SchemaIssue[]): Place {
  const root = createPlace();
  for (const { pointer, unknownKeys } of issues) {
    let place = root;
    for (const step of parsePointer(pointer) ?? []) {
      const next = place.below.get(step) ?? createPlace();
      place.below.set(step, next);
      place = next;
    }
    if (unknownKeys === undefined) place.isWrong = true;
    else for (const key of unknownKeys) place.unknown.add(key);
  }
  return root;
}

function mergeObject(before: JsonObject, repaired: JsonObject, place: Place): JsonObject {
  const merged: Record<string, Json> = {};
  for (const key of Object.keys(before)) {
    if (place.unknown.has(key)) continue;
    const below = place.below.get(key);
    const value = before[key] as Json;
    if (below === undefined) setOwn(merged, key, value);
    else if (Object.hasOwn(repaired, key))
      setOwn(merged, key, mergeValue(value, repaired[key] as Json, below));
  }
  // Where keys were unknown, what they were meant as may be new; else only what was missing is.
  for (const key of Object.keys(repaired)) {
    if (Object.hasOwn(before, key)) continue;
    if (place.isWrong || place.unknown.size > 0 || place.below.has(key))
      setOwn(merged, key, repaired[key] as Json);
  }
  return merged;
}

function mergeValue(before: Json, repaired: Json, place: Place): Json {
  if (place.isWrong && !isJsonObject(before)) return repaired;
  if (isJsonObject(before) && isJsonObject(repaired)) return mergeObject(before, repaired, place);
  if (Array.isArray(before) && Array.isArray(repaired) && before.length === repaired.length) {
    const list = repaired as readonly Json[];
    return (before as readonly Json[]).map((item, index) => {
      const below = place.below.get(String(index));
      return below === undefined ? item : mergeValue(item, list[index] as Json, below);
    });
  }
  return repaired;
}
