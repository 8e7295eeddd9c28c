import type { FlightEvent } from '../flight/events.ts';
import type { NodeStatus } from '../run/node-state.ts';
import { renderBudget } from './budget-view.ts';
import { formatCost, formatCount, formatDuration, formatTime } from './format-amounts.ts';
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
  /** Rows of nodes that are shown at most. */
  readonly maxRows?: number;
  /** Nobody runs it: without an ending it is unfinished. */
  readonly isLeft?: boolean;
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

/** A run for a terminal: what it was, its nodes, when they ran, what it used, and the verdict. */
export function showRun(source: RunSource, options: ShowOptions): string {
  const { maxRows } = options;
  const reading = readRun(source);
  const summary = summarizeRun(reading);
  const sections = [
    [...renderHeader(summary, options), ...renderMemory(reading.events)],
    renderNodes(reading, options),
    renderTimeline(reading, { ...options, ...(maxRows === undefined ? {} : { maxRows }) }),
    renderBudget(reading, options),
    renderUsage(summary, options),
    renderVerdict(summary, options),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function renderHeader(summary: RunSummary, { style = PLAIN_STYLE, isLeft = false }: ShowOptions): string[] {
  const status =
    summary.status === 'running' && isLeft
      ? style.yellow('unfinished')
      : painted(RUN_PAINT[summary.status], summary.status, style);
  const counts = [...summary.nodes].map(([state, count]) => `${formatCount(count)} ${state}`);
  const version = (summary.planVersion ?? 1) > 1 ? ` (plan ${summary.planVersion ?? 1})` : '';
  return [
    `${style.bold(toOneLine(summary.name))}  ${status}`,
    `run      ${summary.runId}`,
    `goal     ${toOneLine(summary.goal)}`,
    `started  ${formatTime(summary.startedAtMs)}, took ${formatDuration(summary.elapsedMs)}`,
    ...(counts.length === 0 ? [] : [`nodes    ${counts.join(', ')}${version}`]),
    ...(summary.reason === null ? [] : [`ending   ${toOneLine(summary.reason)}`]),
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
  const shown = rows.slice(0, maxRows);
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
  if (shown.length < rows.length)
    lines.push(style.dim(`and ${formatCount(rows.length - shown.length)} more`));
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
  const score = verdict.score === undefined ? '' : `, score ${verdict.score}`;
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
