import { type Json, type JsonObject, toPointer } from '../kernel/json.ts';

/** What a walk over a JSON value reports. */
export interface LeafVisitor {
  /** A text or a number, or a key of an object, with the JSON pointer of the value that it belongs to. */
  leaf(leaf: string | number, pointer: string): void;
  /** A list, with its length. */
  list?(length: number): void;
}

/** Visits every text, number, key and list of a value in document order; of any depth. */
export function walkLeaves(root: Json, visitor: LeafVisitor): void {
  const stack: { readonly value: Json; readonly pointer: string }[] = [{ value: root, pointer: '' }];
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    const { value, pointer } = entry;
    if (typeof value === 'string' || typeof value === 'number') visitor.leaf(value, pointer);
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) visitor.list?.(value.length);
    else for (const key of Object.keys(value)) visitor.leaf(key, pointer + toPointer([key]));
    for (const [key, child] of Object.entries(value as JsonObject).toReversed()) {
      stack.push({ value: child, pointer: pointer + toPointer([key]) });
    }
  }
}

/** The object or list that a text is the JSON of; undefined where it is any other text. */
export function parseContainer(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
