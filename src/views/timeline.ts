import { formatCount, formatDuration } from './format-amounts.ts';
import { readRun } from './read-run.ts';
import type { AttemptReading, CallReading, RunReading, RunSource } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { cutToWidth, padToWidth, textWidth, toOneLine } from './text-width.ts';

interface TimelineOptions {
  /** Columns of the terminal, labels included; at least 40 are taken. */
  readonly width: number;
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
  /** Rows that are shown at most. */
  readonly maxRows?: number;
}

interface Bar {
  readonly startMs: number;
  readonly endMs: number;
  readonly kind: 'last' | 'again' | 'failed' | 'open';
}

interface TimelineRow {
  readonly label: string;
  readonly startMs: number;
  readonly bars: readonly Bar[];
}

const UNICODE = { last: '█', again: '░', failed: '▓', open: '▒', line: '─', level: '┬', resumed: '┊' };
const ASCII = { last: '#', again: '-', failed: 'x', open: '~', line: '-', level: '+', resumed: ':' };

/**
 * When each node and model call of a run worked, as bars over its running time, in the order of their starts:
 * full where it ended well, light where it was tried again, marked where it failed or has no end. Above them stands
 * an axis with the levels of the walk. Nothing is shown of a run in which nothing was called.
 */
export function renderTimeline(
  source: RunSource,
  { width, isAscii = false, style = PLAIN_STYLE, maxRows = Infinity }: TimelineOptions,
): string[] {
  const reading = readRun(source);
  const rows = timelineRows(reading);
  if (rows.length === 0) return [];
  const signs = isAscii ? ASCII : UNICODE;
  const labelWidth = Math.min(
    24,
    rows.reduce((widest, { label }) => Math.max(widest, textWidth(label)), 0),
  );
  const total = formatDuration(reading.elapsedMs);
  const columns = Math.max(40, width) - labelWidth - total.length - 4;
  const scale = reading.elapsedMs > 0 ? columns / reading.elapsedMs : 0;
  const edgeOf = (ms: number): number =>
    ms > 0 && ms >= reading.elapsedMs ? columns : Math.floor(ms * scale);
  const columnOf = (ms: number): number => Math.min(columns - 1, edgeOf(ms));
  const paint = { last: style.green, again: style.yellow, failed: style.red, open: style.dim };
  const drawBar = ({ bars, label, startMs }: TimelineRow): string => {
    const kinds = new Array<Bar['kind'] | null>(columns).fill(null);
    for (const bar of bars) {
      kinds.fill(bar.kind, columnOf(bar.startMs), Math.max(columnOf(bar.startMs) + 1, edgeOf(bar.endMs)));
    }
    const length = formatDuration((bars.at(-1)?.endMs ?? startMs) - startMs);
    const drawn = groupRuns(kinds).map(({ kind, count }) =>
      kind === null ? ' '.repeat(count) : paint[kind](signs[kind].repeat(count)),
    );
    return `${padToWidth(cutToWidth(label, labelWidth, isAscii ? '~' : '…'), labelWidth)}  ${drawn.join('')}  ${length}`;
  };
  const shown = rows.slice(0, maxRows);
  const lines = [
    style.dim(`${' '.repeat(labelWidth)}  ${drawAxis(reading, columns, columnOf, signs)}  ${total}`),
    ...shown.map(drawBar),
  ];
  if (shown.length < rows.length)
    lines.push(style.dim(`and ${formatCount(rows.length - shown.length)} more`));
  return lines;
}

function drawAxis(
  { levels, resumedAtMs }: RunReading,
  columns: number,
  columnOf: (ms: number) => number,
  signs: typeof UNICODE,
): string {
  const axis = new Array<string>(columns).fill(signs.line);
  let free = 0;
  for (const { level, atMs } of levels) {
    const column = columnOf(atMs);
    const mark = `${signs.level}${level}`;
    if (column < free || column + mark.length > columns) continue;
    for (let index = 0; index < mark.length; index++) axis[column + index] = mark.charAt(index);
    free = column + mark.length + 1;
  }
  for (const atMs of resumedAtMs) axis[columnOf(atMs)] = signs.resumed;
  return axis.join('');
}

function timelineRows(reading: RunReading): TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (const node of reading.nodes.values()) {
    if (node.attempts.length > 0) {
      rows.push(toRow(node.id, node.attempts, node.status === 'retrying', reading.elapsedMs));
    }
  }
  for (const [call, tries] of groupTries(reading.calls)) {
    rows.push(toRow(call, tries, false, reading.elapsedMs));
  }
  return rows.sort((a, b) => a.startMs - b.startMs);
}

/** Tries of the calls that no tool made, by the key of the call. */
function groupTries(calls: readonly CallReading[]): Map<string, CallReading[]> {
  const groups = new Map<string, CallReading[]>();
  for (const call of calls) {
    if (call.isAsk) continue;
    const key = call.key.replace(/#\d+$/, '');
    const tries = groups.get(key);
    if (tries === undefined) groups.set(key, [call]);
    else tries.push(call);
  }
  return groups;
}

function toRow(
  label: string,
  tries: readonly Pick<AttemptReading, 'startMs' | 'endMs' | 'outcome'>[],
  isTriedAgain: boolean,
  nowMs: number,
): TimelineRow {
  const bars = tries.map(({ startMs, endMs, outcome }, index): Bar => {
    const isLast = index === tries.length - 1;
    const kind =
      outcome === 'done'
        ? 'last'
        : outcome !== 'failed'
          ? 'open'
          : isLast && !isTriedAgain
            ? 'failed'
            : 'again';
    return { startMs, endMs: endMs ?? nowMs, kind };
  });
  return { label: toOneLine(label), startMs: bars[0]?.startMs ?? 0, bars };
}

function groupRuns(kinds: readonly (Bar['kind'] | null)[]): { kind: Bar['kind'] | null; count: number }[] {
  const runs: { kind: Bar['kind'] | null; count: number }[] = [];
  for (const kind of kinds) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.count++;
    else runs.push({ kind, count: 1 });
  }
  return runs;
}
