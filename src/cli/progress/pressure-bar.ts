import type { Style } from '../../views/style.ts';
import { textWidth } from '../../views/text-width.ts';
import type { RunState } from '../../index.ts';
import type { Part } from './parts.ts';
import { findPressure } from './spend.ts';

const TITLE = '  pressure ';
const LEAST_COLUMNS = 8;
const MOST_COLUMNS = 40;
/** The thresholds are named in words where so much is left to the bar. */
const ENOUGH_COLUMNS = 12;

/** How pressed the budget is, as a bar over its whole length with a mark at each threshold, and in words. */
export function pressureRow(state: RunState, style: Style, columns: number): Part[] {
  const { pressure, dimension } = findPressure(state);
  if (dimension === null)
    return [
      [TITLE, style.dim],
      ['no limits', style.dim],
    ];
  const { economyAt, minimalAt } = state.task.budget;
  const mode = state.mode === 'full' ? '' : ` · mode ${state.mode}`;
  const share = ` ${Math.floor(pressure * 100)} % of ${dimension}`;
  const thresholds = ` · economy at ${percent(economyAt)}, minimal at ${percent(minimalAt)}`;
  const room = columns - textWidth(TITLE + share + mode);
  const isWide = room >= textWidth(thresholds) + ENOUGH_COLUMNS;
  const length = Math.max(
    LEAST_COLUMNS,
    Math.min(MOST_COLUMNS, isWide ? room - textWidth(thresholds) : room),
  );
  const paint = paintOf(pressure, state.task.budget, style);
  return [
    [TITLE, style.dim],
    ...barParts(pressure, [economyAt, minimalAt], length, paint, style),
    [share, paint],
    [mode, style.yellow],
    ...(isWide ? [[thresholds, style.dim] as const] : []),
  ];
}

function barParts(
  pressure: number,
  marks: readonly number[],
  length: number,
  paint: Part[1],
  style: Style,
): Part[] {
  // Anything spent shows, and only a full budget is a full bar.
  const filled = pressure >= 1 ? length : Math.min(length - 1, Math.ceil(pressure * length));
  const marked = new Set(marks.map((at) => Math.min(length - 1, Math.floor(at * length))));
  const parts: [string, Part[1]][] = [];
  for (let column = 0; column < length; column++) {
    const isMark = marked.has(column);
    const sign = isMark ? '┃' : column < filled ? '█' : '░';
    const colour = isMark ? style.bold : column < filled ? paint : style.dim;
    const last = parts.at(-1);
    if (last !== undefined && last[1] === colour && !isMark) last[0] += sign;
    else parts.push([sign, colour]);
  }
  return parts.map(([text, colour]) => (colour === undefined ? [text] : [text, colour]));
}

function paintOf(
  pressure: number,
  { economyAt, minimalAt }: RunState['task']['budget'],
  style: Style,
): (text: string) => string {
  if (pressure >= minimalAt) return style.red;
  return pressure >= economyAt ? style.yellow : style.green;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
