import { formatCount, formatDuration } from './format-amounts.ts';
import { buildWaterfall } from './page/waterfall.ts';
import type { Bar, BarKind, WaterfallRow } from './page/waterfall-rows.ts';
import { pickNotable } from './pick-notable.ts';
import { readRun } from './read-run.ts';
import type { RunReading, RunSource } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { cutToWidth, padToWidth, textWidth, toOneLine } from './text-width.ts';
import { createTimeAxis, type TimeAxis } from './time-axis.ts';

interface TimelineOptions {
  /** Columns of the terminal, labels included; at least 40 are taken. */
  readonly width: number;
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
  /** Rows that are shown by themselves at most; the others are shown together, a row for each tool. */
  readonly maxRows?: number;
}

type Sign = BarKind | 'line' | 'level' | 'resumed';

const UNICODE: Record<Sign, string> & { density: string } = {
  ...{
    done: '█',
    again: '░',
    failed: '▓',
    running: '▒',
    cancelled: '▒',
    lost: '▒',
    waiting: '╱',
    items: '·',
  },
  ...{ line: '─', level: '┬', resumed: '┊', density: '▁▂▃▄▅▆▇█' },
};
const ASCII: typeof UNICODE = {
  ...{
    done: '#',
    again: '-',
    failed: 'x',
    running: '~',
    cancelled: '~',
    lost: '~',
    waiting: '/',
    items: '.',
  },
  ...{ line: '-', level: '+', resumed: ':', density: '.:-=+*%#' },
};

const MOST_LABEL_COLUMNS = 24;
const LEAST_COLUMNS = 10;

/**
 * When each node and model call of a run worked, as bars over its time, in the order of their starts: full where it
 * ended well, light where it was tried again, marked where it failed or has no end, hatched while a person was waited
 * for. Items and calls stand below their node. Above them is an axis with the levels of the walk, on which the time
 * that the run waited or stood still takes little room. Nothing is shown of a run in which nothing was called.
 */
export function renderTimeline(
  source: RunSource,
  { width, isAscii = false, style = PLAIN_STYLE, maxRows = Infinity }: TimelineOptions,
): string[] {
  const reading = readRun(source);
  const rows = buildWaterfall(reading).rows.filter(({ bars }) => bars.length > 0);
  if (rows.length === 0) return [];
  const signs = isAscii ? ASCII : UNICODE;
  const { picked, rest } = pickNotable(rows, maxRows, rankOf);
  const groups = groupByTool(rest);
  const labels = [...picked.map(labelOf), ...groups.map(([name]) => name)];
  const labelWidth = Math.min(MOST_LABEL_COLUMNS, Math.max(...labels.map(textWidth)));
  // What is written behind the bars does not hang on how many columns they have.
  const whole = createTimeAxis(reading, 1);
  const lengths = picked.map((row) => lengthOf(row, whole));
  const total = formatDuration(whole.clock.workMs);
  const lengthWidth = Math.max(total.length, ...lengths.map(({ length }) => length));
  const columns = Math.max(LEAST_COLUMNS, Math.max(40, width) - labelWidth - lengthWidth - 4);
  const axis = createTimeAxis(reading, columns);
  const line = (label: string, drawn: string, length: string): string =>
    `${padToWidth(cutToWidth(label, labelWidth, isAscii ? '~' : '…'), labelWidth)}  ${drawn}  ${length}`.trimEnd();
  return [
    style.dim(line('', drawAxis(reading, axis, signs), total)),
    ...picked.map((row, index) =>
      line(labelOf(row), drawBars(row.bars, axis, signs, style), lengths[index] ?? ''),
    ),
    ...groups.map(([name, bars]) => line(name, drawDensity(bars, axis, signs.density, style), '')),
    ...drawNotes(picked, rest.length, axis, signs).map((note) => style.dim(note)),
  ];
}

/** What failed, waited or was tried again comes first, then what has no end, then the calls of the run itself. */
function rankOf({ bars, state, kind, parent }: WaterfallRow): number {
  if (state === 'failed' || state === 'waiting') return 0;
  if (bars.some(({ kind: of }) => of === 'again' || of === 'failed' || of === 'waiting')) return 1;
  if (bars.at(-1)?.endMs === null) return 2;
  return kind === 'call' && parent === null ? 3 : 4;
}

function labelOf({ label, depth }: WaterfallRow): string {
  return `${'  '.repeat(depth)}${toOneLine(label)}`;
}

function groupByTool(rows: readonly WaterfallRow[]): [name: string, bars: Bar[]][] {
  const groups = new Map<string, { count: number; bars: Bar[] }>();
  for (const { what, bars } of rows) {
    const group = groups.get(what) ?? { count: 0, bars: [] };
    group.count++;
    group.bars.push(...bars);
    groups.set(what, group);
  }
  return [...groups].map(([what, { count, bars }]) => [`${formatCount(count)} × ${toOneLine(what)}`, bars]);
}

function drawAxis(reading: RunReading, axis: TimeAxis, signs: typeof UNICODE): string {
  const drawn = new Array<string>(axis.columns).fill(signs.line);
  for (const span of axis.clock.spans) {
    if (span.kind === 'wait') drawn.fill(signs.waiting, ...axis.columnsOf(span));
    else if (span.kind === 'down') drawn.fill(' ', ...axis.columnsOf(span));
  }
  let free = 0;
  for (const event of reading.events) {
    const column = axis.columnOf(event.at - reading.started.at);
    if (event.type === 'run.resumed') drawn[column] = signs.resumed;
    if (event.type !== 'level.started') continue;
    const mark = `${signs.level}${event.level}`;
    if (column < free || column + mark.length > axis.columns) continue;
    for (let index = 0; index < mark.length; index++) drawn[column + index] = mark.charAt(index);
    free = column + mark.length + 1;
  }
  return drawn.join('');
}

function drawBars(bars: readonly Bar[], axis: TimeAxis, signs: typeof UNICODE, style: Style): string {
  const kinds = new Array<BarKind | null>(axis.columns).fill(null);
  // What worked is drawn over what spans it.
  const ordered = [...bars].sort((a, b) => depthOf(a) - depthOf(b));
  for (const { kind, startMs, endMs } of ordered) {
    const [from, to] = [axis.columnOf(startMs), axis.edgeOf(endMs ?? axis.clock.endMs)];
    kinds.fill(kind, from, Math.max(from + 1, to));
  }
  return groupRuns(kinds)
    .map(({ kind, count }) =>
      kind === null ? ' '.repeat(count) : paintOf(kind, style)(signs[kind].repeat(count)),
    )
    .join('');
}

function depthOf({ kind }: Bar): number {
  return kind === 'items' ? 0 : kind === 'waiting' ? 1 : 2;
}

function paintOf(kind: BarKind, style: Style): (text: string) => string {
  switch (kind) {
    case 'done':
      return style.green;
    case 'failed':
      return style.red;
    case 'again':
    case 'waiting':
      return style.yellow;
    case 'running':
      return style.cyan;
    case 'cancelled':
    case 'lost':
    case 'items':
      return style.dim;
  }
}

/** How many of many bars there are in each column, as heights. */
function drawDensity(bars: readonly Bar[], axis: TimeAxis, heights: string, style: Style): string {
  const changes = new Int32Array(axis.columns + 1);
  for (const { startMs, endMs } of bars) {
    const from = axis.columnOf(startMs);
    const to = Math.max(from + 1, axis.edgeOf(endMs ?? axis.clock.endMs));
    changes[from] = (changes[from] ?? 0) + 1;
    changes[to] = (changes[to] ?? 0) - 1;
  }
  let count = 0;
  const counts = Array.from(changes.subarray(0, axis.columns), (change) => (count += change));
  const most = Math.max(1, ...counts);
  const drawn = counts.map((of) =>
    of === 0 ? ' ' : heights.charAt(Math.ceil((of / most) * heights.length) - 1),
  );
  return style.green(drawn.join(''));
}

/** The time that a row worked, from its first start to its last end, its tries, and how long a person was waited for. */
function lengthOf({ bars }: WaterfallRow, axis: TimeAxis): string {
  const end = (bar: Bar): number => bar.endMs ?? axis.clock.endMs;
  const worked = bars.filter(({ kind }) => kind !== 'waiting');
  const [first, last] = [worked[0], worked.at(-1)];
  const tries = worked.filter(({ kind }) => kind !== 'items').length;
  const waitedMs = bars.reduce((sum, bar) => sum + (bar.kind === 'waiting' ? end(bar) - bar.startMs : 0), 0);
  return [
    ...(first === undefined || last === undefined
      ? []
      : [formatDuration(axis.workedBetween(first.startMs, end(last)))]),
    ...(tries > 1 ? [`${tries} tries`] : []),
    ...(waitedMs > 0 ? [`waited ${formatDuration(waitedMs)}`] : []),
  ].join(', ');
}

/** What is not shown by itself, and the signs that need words. */
function drawNotes(
  picked: readonly WaterfallRow[],
  hidden: number,
  { clock }: TimeAxis,
  signs: typeof UNICODE,
): string[] {
  const kinds = new Set(picked.flatMap(({ bars }) => bars.map(({ kind }) => kind)));
  if (clock.waitMs > 0) kinds.add('waiting');
  const words = (
    [
      ['again', 'tried again'],
      ['failed', 'failed'],
      ['lost', 'cut off'],
      ['waiting', 'waits for a person'],
    ] as const
  ).flatMap(([kind, text]) => (kinds.has(kind) ? [`${signs[kind]} ${text}`] : []));
  return [
    ...(hidden > 0 ? [`and ${formatCount(hidden)} more`] : []),
    ...(kinds.has('waiting') ? [words.join('   ')] : []),
  ];
}

function groupRuns(kinds: readonly (BarKind | null)[]): { kind: BarKind | null; count: number }[] {
  const runs: { kind: BarKind | null; count: number }[] = [];
  for (const kind of kinds) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.count++;
    else runs.push({ kind, count: 1 });
  }
  return runs;
}
