import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';

const NOTHING: JsonObject = Object.freeze({});

/** The object at a key of what a server sent; an empty one where there is none. */
export function objectAt(value: JsonObject, key: string): JsonObject {
  const field = value[key];
  return isJsonObject(field) ? field : NOTHING;
}

/** The objects of the list at a key; none where there is no list. */
export function objectsAt(value: JsonObject, key: string): readonly JsonObject[] {
  const field = value[key];
  return Array.isArray(field) ? (field as readonly Json[]).filter(isJsonObject) : [];
}

/** The text at a key; empty where there is none. */
export function textAt(value: JsonObject, key: string): string {
  const field = value[key];
  return typeof field === 'string' ? field : '';
}

/** The number of tokens at a key, whole and not negative; undefined where there is none. */
export function countAt(value: JsonObject, key: string): number | undefined {
  const field = value[key];
  return typeof field === 'number' && Number.isFinite(field) && field >= 0 ? Math.floor(field) : undefined;
}
