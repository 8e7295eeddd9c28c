import { isJsonObject, type Json, setOwn } from './json.ts';

/** A value with the fields that only its parsed form has: defaults of fields that it was written without. */
export function withDefaults(value: Json, parsed: Json): Json {
  if (!isJsonObject(value) || !isJsonObject(parsed)) return value;
  const filled: Record<string, Json> = {};
  let isChanged = false;
  for (const key of Object.keys(value)) {
    const own = value[key] as Json;
    const item = Object.hasOwn(parsed, key) ? withDefaults(own, parsed[key] as Json) : own;
    isChanged ||= item !== own;
    setOwn(filled, key, item);
  }
  for (const key of Object.keys(parsed)) {
    if (Object.hasOwn(value, key) || parsed[key] === undefined) continue;
    isChanged = true;
    setOwn(filled, key, parsed[key]);
  }
  return isChanged ? filled : value;
}
