import type { Json } from '../kernel/json.ts';

const MOST_TEXTS = 100;
const LONGEST_TEXT = 200;
const MAX_DEPTH = 8;

/** The short texts among the values of a task's inputs, each once, in order; those of maps and lists included. */
export function textsIn(inputs: Json): readonly string[] {
  const texts = new Set<string>();
  collect(inputs, texts, 0);
  return [...texts];
}

function collect(value: Json, texts: Set<string>, depth: number): void {
  if (texts.size >= MOST_TEXTS || depth > MAX_DEPTH) return;
  if (typeof value === 'string') {
    if (value.trim() !== '' && value.length <= LONGEST_TEXT) texts.add(value);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collect(item, texts, depth + 1);
  }
}
