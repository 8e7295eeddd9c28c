import type { SourceNode } from './yaml-source.ts';
import type { TaskPath } from './problem.ts';

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Offset of a value, or of its key; for a path that is not there, of the nearest value around it. */
export function offsetOfPath(root: SourceNode, path: TaskPath, at: 'key' | 'value'): number {
  let node = root;
  let offset = root.offset;
  for (const [index, step] of path.entries()) {
    const entry = node.entries.get(String(step));
    // A key missing at the root is missing from the file, whatever stands first in it.
    if (entry === undefined) return index === 0 ? 0 : offset;
    node = entry.node;
    offset = at === 'key' && index === path.length - 1 ? entry.keyOffset : node.offset;
  }
  return offset;
}

/** Offset of the value at a path written with dots, null where it is not there; keys may hold dots themselves. */
export function offsetOfDottedPath(root: SourceNode, dotted: string): number | null {
  if (dotted === '') return root.offset;
  for (const [key, entry] of root.entries) {
    if (dotted === key) return entry.node.offset;
    const below = dotted.startsWith(`${key}.`)
      ? offsetOfDottedPath(entry.node, dotted.slice(key.length + 1))
      : null;
    if (below !== null) return below;
  }
  return null;
}

/** A function that turns offsets of this text into places; the lines are found at its first call. */
export function createLocator(text: string): (offset: number) => Position {
  let lineStarts: number[] | null = null;
  return (offset) => {
    lineStarts ??= findLineStarts(text);
    let [low, high] = [0, lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
  };
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
