import type { Style } from '../../views/style.ts';
import { textWidth } from '../../views/text-width.ts';
import type { RunState } from '../../index.ts';
import type { Part } from './parts.ts';
import { findPressure } from './spend.ts';

const TITLE = '  pressure ';
const MOST_COLUMNS = 40;

/** What is said around the bar, and the columns that the bar needs beside it. */
interface Wording {
  readonly title: string;
  readonly share: string;
  readonly mode: string;
  readonly thresholds: string;
  readonly leastColumns: number;
}

/** How pressed the budget is, as a bar over its whole length with a mark at each threshold, and in words. */
export function pressureRow(state: RunState, style: Style, columns: number): Part[] {
  const { pressure, dimension } = findPressure(state);
  if (dimension === null)
    return [
      [TITLE, style.dim],
      ['no limits', style.dim],
    ];
  const { economyAt, minimalAt } = state.task.budget;
  const words = chooseWording(wordings(state, pressure, dimension), columns);
  const length = Math.max(words.leastColumns, Math.min(MOST_COLUMNS, columns - widthOf(words)));
  const paint = paintOf(pressure, state.task.budget, style);
  return [
    [words.title, style.dim],
    ...barParts(pressure, [economyAt, minimalAt], length, paint, style),
    [words.share, paint],
    [words.mode, style.yellow],
    [words.thresholds, style.dim],
  ];
}

/** The wordings, the fullest first; none lacks the mode. */
function wordings({ task, mode }: RunState, pressure: number, dimension: string): Wording[] {
  const { economyAt, minimalAt } = task.budget;
  const part = ` ${Math.floor(pressure * 100)} %`;
  const share = `${part} of ${dimension}`;
  const [full, brief] = mode === 'full' ? ['', ''] : [` · mode ${mode}`, ` · ${mode}`];
  const thresholds = ` · economy at ${percent(economyAt)}, minimal at ${percent(minimalAt)}`;
  return [
    { title: TITLE, share, mode: full, thresholds, leastColumns: 12 },
    { title: TITLE, share, mode: full, thresholds: '', leastColumns: 8 },
    { title: TITLE, share, mode: brief, thresholds: '', leastColumns: 8 },
    { title: TITLE, share: part, mode: brief, thresholds: '', leastColumns: 8 },
    { title: '  ', share: part, mode: brief, thresholds: '', leastColumns: 2 },
  ];
}

function chooseWording(choices: readonly Wording[], columns: number): Wording {
  const fits = (words: Wording): boolean => widthOf(words) + words.leastColumns <= columns;
  return choices.find(fits) ?? (choices.at(-1) as Wording);
}

function widthOf({ title, share, mode, thresholds }: Wording): number {
  return textWidth(title + share + mode + thresholds);
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
