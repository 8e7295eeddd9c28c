import { formatCount, formatDuration } from './format-amounts.ts';
import { type BudgetDecision, type PressureCurve, PressureWatch } from './page/pressure-curve.ts';
import { readRun } from './read-run.ts';
import type { RunSource } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { cutToWidth, toOneLine } from './text-width.ts';
import { createTimeAxis, type TimeAxis } from './time-axis.ts';

interface ChartOptions {
  /** Columns of the terminal; at least 40 are taken. */
  readonly width: number;
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
  /** Decisions that are named at most. */
  readonly maxDecisions?: number;
}

const ROWS = 10;
const MOST_MARKS = 35;
const LABEL = '100 % ';
const NAMES = { economy: ' economy', minimal: ' minimal', stopped: ' stopped' };
const NAME_COLUMNS = 8;
/** A share counts from this part of the highest on. */
const COUNTS_FROM = 0.1;
const DIMENSIONS: Record<PressureCurve['dimensions'][number], string> = {
  ...{ tokens: 'tokens', llmCalls: 'model calls', toolCalls: 'tool calls' },
  ...{ wallMs: 'time', costMicroUsd: 'cost' },
};

const UNICODE = { heights: '▁▂▃▄▅▆▇█', threshold: '╌', base: '─', waiting: '╱', ellipsis: '…' };
const ASCII: typeof UNICODE = { heights: '...:::##', threshold: '-', base: '-', waiting: '/', ellipsis: '~' };

/**
 * The pressure of a run over its time, as an area with its thresholds, and below it what was decided because of it,
 * numbered where it changed the mode. Nothing is shown of a run without a limit, or in which nothing was spent.
 */
export function renderPressure(
  source: RunSource,
  { width, isAscii = false, style = PLAIN_STYLE, maxDecisions = Infinity }: ChartOptions,
): string[] {
  const { curve, reading } = readPressure(source);
  const columns = Math.max(40, width) - LABEL.length - NAME_COLUMNS;
  const axis = createTimeAxis(reading, columns);
  const values = pressureByColumn(curve, axis);
  if (curve.dimensions.length === 0 || Math.max(...values) === 0) return [];
  const signs = isAscii ? ASCII : UNICODE;
  const marks = markDecisions(curve.decisions);
  const title = ` of the budget: ${leadersOf(curve).join(', then ')}`;
  return [
    `${style.bold('pressure')}${style.dim(cutToWidth(title, Math.max(40, width) - 'pressure'.length, signs.ellipsis))}`,
    ...drawArea(values, curve, signs, style),
    `${'0 %'.padStart(LABEL.length - 1)} ${style.dim(drawBase(axis, signs))}`,
    ...drawMarks(marks, axis),
    ...listDecisions(curve.decisions, marks, axis, { width, isAscii, style, maxDecisions }),
  ];
}

function readPressure(source: RunSource): { curve: PressureCurve; reading: ReturnType<typeof readRun> } {
  const { events } = 'events' in source ? source : { events: source };
  const watch = new PressureWatch();
  const reading = readRun(events, (current, event) => watch.watch(current, event));
  return { curve: watch.curve(reading), reading };
}

/** The highest share that each column saw; between two points a share stays as it is. */
function pressureByColumn({ points }: PressureCurve, axis: TimeAxis): number[] {
  const highest = new Array<number>(axis.columns).fill(-1);
  let before = 0;
  let from = 0;
  for (const { ms, shares } of points) {
    const column = axis.columnOf(ms);
    for (; from < column; from++) highest[from] = Math.max(highest[from] ?? -1, before);
    before = Math.max(0, ...shares);
    highest[column] = Math.max(highest[column] ?? -1, before);
    from = column;
  }
  return highest.map((value) => (value < 0 ? before : value));
}

/** The dimensions that were the most pressed ones, in their order; which one led before anything counted is left out. */
function leadersOf({ dimensions, points }: PressureCurve): string[] {
  const leaders: string[] = [];
  const highest = points.reduce((most, { shares }) => Math.max(most, ...shares), 0);
  for (const { shares } of points) {
    const most = Math.max(0, ...shares);
    const leader = dimensions[shares.indexOf(most)];
    if (most < highest * COUNTS_FROM || leader === undefined || DIMENSIONS[leader] === leaders.at(-1))
      continue;
    // One that leads again is named once, where it leads last.
    const known = leaders.indexOf(DIMENSIONS[leader]);
    if (known >= 0) leaders.splice(known, 1);
    leaders.push(DIMENSIONS[leader]);
  }
  return leaders;
}

function drawArea(
  values: readonly number[],
  { economyAt, minimalAt }: PressureCurve,
  signs: typeof UNICODE,
  style: Style,
): string[] {
  const top = Math.max(1, Math.min(2, Math.max(...values)));
  const step = top / ROWS;
  const thresholds = [
    { at: economyAt, name: NAMES.economy },
    { at: minimalAt, name: NAMES.minimal },
    { at: 1, name: NAMES.stopped },
  ];
  const paint = (share: number): ((text: string) => string) =>
    share > minimalAt ? style.red : share > economyAt ? style.yellow : style.green;
  return Array.from({ length: ROWS }, (_, index) => {
    const low = (ROWS - 1 - index) * step;
    const middle = low + step / 2;
    // A threshold stands in the row that it is the upper edge of.
    const threshold = thresholds.findLast(({ at }) => at > low + 1e-9 && at <= low + step + 1e-9);
    const cells = values.map((value) => {
      const filled = (value - low) / step;
      if (filled <= 0) return threshold === undefined ? ' ' : signs.threshold;
      return signs.heights.charAt(Math.min(7, Math.max(0, Math.ceil(filled * 8) - 1)));
    });
    const label = threshold === undefined ? '' : `${Math.round(threshold.at * 100)} %`;
    const area = groupCells(cells, signs.threshold)
      .map(({ text, isFilled }) => (isFilled ? paint(middle)(text) : style.dim(text)))
      .join('');
    return `${label.padStart(LABEL.length - 1)} ${area}${style.dim(threshold?.name ?? '')}`.trimEnd();
  });
}

function groupCells(cells: readonly string[], threshold: string): { text: string; isFilled: boolean }[] {
  const groups: { text: string; isFilled: boolean }[] = [];
  for (const cell of cells) {
    const isFilled = cell !== ' ' && cell !== threshold;
    const last = groups.at(-1);
    if (last?.isFilled === isFilled) last.text += cell;
    else groups.push({ text: cell, isFilled });
  }
  return groups;
}

function drawBase(axis: TimeAxis, signs: typeof UNICODE): string {
  const drawn = new Array<string>(axis.columns).fill(signs.base);
  for (const span of axis.clock.spans) {
    if (span.kind !== 'work') drawn.fill(span.kind === 'wait' ? signs.waiting : ' ', ...axis.columnsOf(span));
  }
  return drawn.join('');
}

/** The marks of the decisions that changed the mode: 1 to 9, then a to z. */
function markDecisions(decisions: readonly BudgetDecision[]): Map<BudgetDecision, string> {
  const changes = decisions.filter(({ mode }) => mode !== null).slice(0, MOST_MARKS);
  return new Map(changes.map((decision, index) => [decision, (index + 1).toString(36)]));
}

function drawMarks(marks: ReadonlyMap<BudgetDecision, string>, axis: TimeAxis): string[] {
  if (marks.size === 0) return [];
  const drawn = new Array<string>(axis.columns).fill(' ');
  for (const [{ ms }, mark] of marks) {
    // The next free column, where two decisions fall into one.
    const column = drawn.indexOf(' ', axis.columnOf(ms));
    if (column >= 0) drawn[column] = mark;
  }
  return [`${' '.repeat(LABEL.length)}${drawn.join('').trimEnd()}`];
}

function listDecisions(
  decisions: readonly BudgetDecision[],
  marks: ReadonlyMap<BudgetDecision, string>,
  axis: TimeAxis,
  { width, isAscii, style, maxDecisions }: Required<ChartOptions>,
): string[] {
  const lines = decisions.slice(0, maxDecisions).map((decision) => {
    const at = `+${formatDuration(axis.workedBetween(0, decision.ms))}`;
    const text = `${marks.get(decision) ?? ' '} ${at.padEnd(9)} #${decision.seq} ${toOneLine(decision.text)}`;
    return cutToWidth(`    ${text}`, Math.max(40, width), isAscii ? '~' : '…');
  });
  const more = decisions.length - lines.length;
  return more > 0 ? [...lines, style.dim(`    and ${formatCount(more)} more`)] : lines;
}
