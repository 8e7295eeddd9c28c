import type { Json } from './json.ts';

/** The one JSON text of a value: no white space, keys sorted by UTF-16 code units. */
export function canonicalJson(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (let index = 0; index < value.length; index++) {
      if (index > 0) text += ',';
      text += canonicalJson(value[index] as Json);
    }
    return text + ']';
  }
  const record = value as { readonly [key: string]: Json };
  const keys = Object.keys(record);
  if (!isSorted(keys)) keys.sort();
  let text = '{';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (index > 0) text += ',';
    text += JSON.stringify(key) + ':' + canonicalJson(record[key] as Json);
  }
  return text + '}';
}

/** Most objects come with their keys in order, and sorting takes a copy of them. */
function isSorted(keys: readonly string[]): boolean {
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) return false;
  }
  return true;
}
