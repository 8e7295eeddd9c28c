import type { FlightEvent } from '../flight/events.ts';
import type { NodeStatus } from '../run/node-state.ts';
import { renderBudget } from './budget-view.ts';
import { formatCost, formatCount, formatDuration, formatScore, formatTime } from './format-amounts.ts';
import { type RunClock, readClock } from './page/run-clock.ts';
import { pickNotable } from './pick-notable.ts';
import { renderPressure } from './pressure-chart.ts';
import { readRun } from './read-run.ts';
import type { RunSource, RunStatus } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { nodeRows, type RunSummary, summarizeRun, type UsageTotal } from './summary.ts';
import { renderTable } from './table.ts';
import { toOneLine } from './text-width.ts';
import { countOf } from './why-words.ts';
import { renderTimeline } from './timeline.ts';

/** How a run is shown. */
export interface ShowOptions {
  /** Columns of the terminal. */
  readonly width: number;
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
  /** Rows of nodes, of the timeline, and decisions that are shown at most. */
  readonly maxRows?: number;
}

type Paint = 'green' | 'red' | 'yellow' | 'dim' | 'cyan' | null;

const RUN_PAINT: Record<RunStatus, Paint> = {
  verified: 'green',
  unverified: 'yellow',
  planned: 'cyan',
  failed: 'red',
  rejected: 'red',
  indeterminate: 'red',
  budget: 'red',
  waiting: 'yellow',
  interrupted: 'yellow',
  running: 'cyan',
  unfinished: 'yellow',
};

const NODE_PAINT: Partial<Record<NodeStatus, Paint>> = {
  done: 'green',
  failed: 'red',
  refused: 'red',
  cancelled: 'red',
  failing: 'red',
  waiting: 'yellow',
  retrying: 'yellow',
  running: 'cyan',
  skipped: 'dim',
  superseded: 'dim',
};

/** Where not all nodes are shown, those that need attention are, then those under way. */
const NODE_RANKS: Partial<Record<NodeStatus, number>> = {
  ...{ waiting: 0, failed: 1, refused: 1, failing: 2, retrying: 2, repairing: 2, cancelled: 3 },
  ...{ running: 4, expanded: 4 },
};

/** A run for a terminal: what it was, its nodes, when they ran, what it used and how pressed it was, and the verdict. */
export function showRun(source: RunSource, options: ShowOptions): string {
  const { maxRows } = options;
  const mostRows = maxRows === undefined ? {} : { maxRows, maxDecisions: maxRows };
  const reading = readRun(source);
  const summary = summarizeRun(reading);
  const sections = [
    [...renderHeader(summary, readClock(reading.events), options), ...renderMemory(reading.events)],
    renderNodes(reading, options),
    renderTimeline(reading, { ...options, ...mostRows }),
    renderPressure(reading, { ...options, ...mostRows }),
    renderBudget(reading, options),
    renderUsage(summary, options),
    renderVerdict(summary, options),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function renderHeader(summary: RunSummary, clock: RunClock, { style = PLAIN_STYLE }: ShowOptions): string[] {
  const status = painted(RUN_PAINT[summary.status], summary.status, style);
  const counts = [...summary.nodes].map(([state, count]) => `${formatCount(count)} ${state}`);
  const version = (summary.planVersion ?? 1) > 1 ? ` (plan ${summary.planVersion ?? 1})` : '';
  return [
    `${style.bold(toOneLine(summary.name))}  ${status}`,
    `run      ${summary.runId}`,
    `goal     ${toOneLine(summary.goal)}`,
    ...describeTime(clock, summary),
    ...(counts.length === 0 ? [] : [`nodes    ${counts.join(', ')}${version}`]),
    ...(summary.reason === null ? [] : [`ending   ${toOneLine(summary.reason)}`]),
  ];
}

/** Waiting for a person and standing still are not work. */
function describeTime({ workMs, waitMs, downMs }: RunClock, summary: RunSummary): string[] {
  const started = `started  ${formatTime(summary.startedAtMs)}`;
  if (waitMs === 0 && downMs === 0) return [`${started}, took ${formatDuration(summary.elapsedMs)}`];
  return [
    `${started}, worked ${formatDuration(workMs)}`,
    ...(waitMs > 0 ? [`waited   ${formatDuration(waitMs)} for a person`] : []),
    ...(downMs > 0 ? [`stood    ${formatDuration(downMs)}, no process ran it`] : []),
  ];
}

/** What earlier runs gave to the calls of this one; nothing where that is nothing. */
function renderMemory(events: readonly FlightEvent[]): string[] {
  const recalled = events.flatMap((event) => (event.type === 'memory.recalled' ? [event.included] : []));
  const known = recalled.flat();
  if (known.length === 0) return [];
  const calls = recalled.filter((included) => included.length > 0).length;
  const memories = new Set(known.map(({ id }) => id)).size;
  const runs = new Set(known.flatMap(({ from }) => from.run ?? [])).size;
  const from = runs === 0 ? '' : ` of ${countOf(runs, 'run')}`;
  return [
    `memory   ${countOf(memories, 'entry', 'entries')}${from} recalled for ${countOf(calls, 'model call')}`,
  ];
}

function renderNodes(
  source: RunSource,
  { width, isAscii = false, style = PLAIN_STYLE, maxRows = Infinity }: ShowOptions,
): string[] {
  const rows = nodeRows(source);
  if (rows.length === 0) return [];
  const { picked: shown, rest } = pickNotable(rows, maxRows, ({ status }) => NODE_RANKS[status] ?? 9);
  const lines = renderTable(
    [
      { title: 'node', giveWay: 2, minWidth: 8 },
      { title: 'tool', giveWay: 3, minWidth: 8 },
      {
        title: 'state',
        paint: (text, cell) => painted(NODE_PAINT[cell as NodeStatus] ?? null, text, style),
      },
      { title: 'tries', align: 'right' },
      { title: 'start', align: 'right' },
      { title: 'time', align: 'right' },
      { title: 'args' },
      { title: 'note', giveWay: 4 },
    ],
    shown.map((row) => [
      row.id,
      row.tool,
      row.status,
      row.attempts === 0 ? '' : String(row.attempts),
      row.startMs === null ? '' : `+${formatDuration(row.startMs)}`,
      row.durationMs === null ? '' : formatDuration(row.durationMs),
      row.argsHash?.slice(0, 8) ?? '',
      row.errorCode ?? row.note ?? '',
    ]),
    { width, isAscii, style },
  );
  if (rest.length > 0) lines.push(style.dim(`and ${formatCount(rest.length)} more`));
  return lines;
}

function renderUsage(
  summary: RunSummary,
  { width, isAscii = false, style = PLAIN_STYLE }: ShowOptions,
): string[] {
  if (summary.modelCalls === 0) return [];
  const toRow =
    (kind: string) =>
    (total: UsageTotal): string[] => [
      `${kind} ${total.name === '' ? '(default)' : total.name}`,
      formatCount(total.calls),
      formatCount(total.inputTokens),
      formatCount(total.outputTokens),
      total.costMicroUsd === null ? 'unknown' : formatCost(total.costMicroUsd),
    ];
  return renderTable(
    [
      { title: 'models', giveWay: 1, minWidth: 12 },
      ...['calls', 'tokens in', 'tokens out', 'cost'].map((title) => ({ title, align: 'right' as const })),
    ],
    [...summary.usageByRole.map(toRow('role')), ...summary.usageByModel.map(toRow('model'))],
    { width, isAscii, style },
  );
}

function renderVerdict(
  { verdict, mode, pressure, pressureDimension }: RunSummary,
  options: ShowOptions,
): string[] {
  const { style = PLAIN_STYLE, isAscii = false } = options;
  const pressed =
    mode === 'full' ? [] : [`mode     ${mode} (pressure ${pressure.toFixed(2)}, ${pressureDimension})`];
  if (verdict === null) return pressed;
  const [yes, no] = isAscii ? ['ok', 'no'] : ['✓', '✗'];
  const score = verdict.score === undefined ? '' : `, score ${formatScore(verdict.score)}`;
  const paint = verdict.outcome === 'pass' ? 'green' : 'red';
  return [
    ...pressed,
    `verdict  ${painted(paint, verdict.outcome, style)} (${verdict.tier}${score})`,
    ...verdict.checks.map(({ name, ok, message }) => {
      const mark = ok ? style.green(yes) : style.red(no);
      return `  ${mark} ${toOneLine(name)}${ok ? '' : `: ${toOneLine(message)}`}`;
    }),
    ...verdict.reasons.map((reason) => `  - ${toOneLine(reason)}`),
  ];
}

function painted(paint: Paint, text: string, style: Style): string {
  return paint === null ? text : style[paint](text);
}
