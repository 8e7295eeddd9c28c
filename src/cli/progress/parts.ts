import { cutToWidth, textWidth } from '../../views/text-width.ts';

/** A piece of a line with its colour. */
export type Part = readonly [text: string, paint?: (text: string) => string];

/** Parts one after the other, cut together at a width. */
export function joinParts(parts: readonly Part[], columns: number): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of parts) {
    if (left <= 0) break;
    const cut = cutToWidth(text, left);
    left -= textWidth(cut);
    line += paint === undefined ? cut : paint(cut);
    if (cut !== text) break;
  }
  return line;
}

/** Columns that parts take together. */
export function widthOfParts(parts: readonly Part[]): number {
  return parts.reduce((width, [text]) => width + textWidth(text), 0);
}
