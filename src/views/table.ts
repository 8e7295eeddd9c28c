import { PLAIN_STYLE, type Style } from './style.ts';
import { cutToWidth, padToWidth, textWidth, toOneLine } from './text-width.ts';

/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Columns that give way first are those with the largest number; those without never do. */
  readonly giveWay?: number;
  /** Columns of the terminal below which it is not cut; 4 by default. */
  readonly minWidth?: number;
  /** Colours a cell, given its text as it is shown and as it was. */
  readonly paint?: (shown: string, cell: string) => string;
}

interface TableOptions {
  /** Columns of the terminal; without it nothing is cut. */
  readonly width?: number;
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
}

const GAP = '  ';

/** A table as lines, header first; each cell on one line, cut where the table would be wider than `width`. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width = Infinity, isAscii = false, style = PLAIN_STYLE }: TableOptions = {},
): string[] {
  const cells = rows.map((row) => columns.map((_, index) => toOneLine(row[index] ?? '')));
  const widths = columns.map(({ title }, index) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[index] ?? '')), textWidth(title)),
  );
  shrink(widths, columns, width);
  const fit = (text: string, index: number): string => {
    const columnWidth = widths[index] ?? 0;
    const cut = cutToWidth(text, columnWidth, isAscii ? '~' : '…');
    return padToWidth(cut, columnWidth, columns[index]?.align);
  };
  const header = columns.map(({ title }, index) => fit(title, index));
  return [style.bold(header.join(GAP).trimEnd()), ...cells.map((row) => renderRow(row, columns, fit))];
}

function renderRow(
  row: readonly string[],
  columns: readonly Column[],
  fit: (text: string, index: number) => string,
): string {
  const parts = columns.map(({ align, paint }, index) => {
    const cell = row[index] ?? '';
    const shown = fit(cell, index);
    return index === columns.length - 1 && align !== 'right'
      ? painted(shown.trimEnd(), cell, paint)
      : painted(shown, cell, paint);
  });
  return parts.join(GAP).trimEnd();
}

function painted(shown: string, cell: string, paint: Column['paint']): string {
  return paint === undefined || cell === '' ? shown : paint(shown, cell);
}

function shrink(widths: number[], columns: readonly Column[], limit: number): void {
  let excess = widths.reduce((total, width) => total + width, GAP.length * (columns.length - 1)) - limit;
  const order = columns
    .map(({ giveWay, minWidth = 4 }, index) => ({ giveWay, minWidth, index }))
    .filter(({ giveWay }) => giveWay !== undefined)
    .sort((a, b) => (b.giveWay ?? 0) - (a.giveWay ?? 0));
  for (const { index, minWidth } of order) {
    if (excess <= 0) return;
    const width = widths[index] ?? 0;
    const taken = Math.min(excess, Math.max(0, width - minWidth));
    widths[index] = width - taken;
    excess -= taken;
  }
}
