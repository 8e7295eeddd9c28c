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
  if (keys.length > 1) keys.sort();
  let text = '{';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (index > 0) text += ',';
    text += JSON.stringify(key) + ':' + canonicalJson(record[key] as Json);
  }
  return text + '}';
}
