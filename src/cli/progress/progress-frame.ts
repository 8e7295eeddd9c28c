import { shownState } from '../../views/page/shown-state.ts';
import type { Style } from '../../views/style.ts';
import { cutToWidth, textWidth, toOneLine } from '../../views/text-width.ts';
import type { AnswerTails } from './answer-tails.ts';
import { describeSpend } from './spend.ts';
import type { RunState } from '../../index.ts';

/** What a frame shows beside the state. */
export interface FrameContext {
  readonly style: Style;
  readonly columns: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly startedAt: number;
  /** When each running node or model call began, in epoch milliseconds, by node id or key. */
  readonly begun: ReadonlyMap<string, number>;
  /** What models say just now. */
  readonly tails: AnswerTails;
  readonly isInterrupting: boolean;
}

type Part = readonly [text: string, paint?: (text: string) => string];

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const MOST_RUNNING = 6;

/** The picture of a run under way: nodes by state, pressure and cost, and what runs just now. */
export function renderFrame(state: RunState, context: FrameContext): string[] {
  const { style, columns } = context;
  const spinner = SPINNER[Math.floor(context.now / 80) % SPINNER.length] ?? '';
  const phase = context.isInterrupting ? 'interrupting' : state.phase;
  const rows: Part[][] = [
    [
      [`${spinner} `, style.cyan],
      [toOneLine(state.task.name), style.bold],
      [` ${state.runId}`, style.dim],
      [` ${phase}`],
    ],
    nodesRow(state, style),
    [['  '], [describeSpend(state, context.now - context.startedAt)]],
    ...runningRows(state, context),
  ];
  return rows.map((row) => joinParts(row, columns - 1));
}

function nodesRow(state: RunState, style: Style): Part[] {
  const counts = new Map<string, number>();
  for (const { status } of state.nodes.values()) {
    const shown = shownState(status);
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  if (counts.size === 0) return [['  no plan yet', style.dim]];
  const done = counts.get('done') ?? 0;
  const total = state.nodes.size;
  const filled = Math.round((done / total) * 20);
  const paints: Readonly<Record<string, (text: string) => string>> = {
    done: style.green,
    running: style.cyan,
    waiting: style.yellow,
    failed: style.red,
    refused: style.red,
  };
  return [
    ['  '],
    ['█'.repeat(filled), style.green],
    ['░'.repeat(20 - filled), style.dim],
    [` ${done}/${total}`],
    ...SHOWN_ORDER.flatMap((name): Part[] => {
      const amount = counts.get(name);
      return amount === undefined
        ? []
        : [
            [' · ', style.dim],
            [`${amount} ${name}`, paints[name] ?? style.dim],
          ];
    }),
  ];
}

const SHOWN_ORDER = [
  'done',
  'running',
  'waiting',
  'retrying',
  'failed',
  'refused',
  'skipped',
  'cancelled',
  'superseded',
  'pending',
];

function runningRows(state: RunState, context: FrameContext): Part[][] {
  const { style, now, begun } = context;
  const seconds = (key: string): Part => [
    ` ${((now - (begun.get(key) ?? now)) / 1000).toFixed(1)}s`,
    style.dim,
  ];
  const rows: Part[][] = [];
  for (const node of state.running.values()) {
    if (rows.length < MOST_RUNNING) {
      const row: Part[] = [
        ['  ▸ ', style.cyan],
        [toOneLine(node.id)],
        [` ${node.tool.name}`, style.dim],
        seconds(node.id),
      ];
      rows.push(withAnswer(row, node.id, context));
    }
  }
  for (const [key, call] of state.runningCalls) {
    if (call.node === '' && rows.length < MOST_RUNNING) {
      const row: Part[] = [['  ▸ ', style.cyan], [call.role], [` ${call.model}`, style.dim], seconds(key)];
      rows.push(withAnswer(row, key, context));
    }
  }
  const hidden = state.running.size - rows.length;
  if (hidden > 0) rows.push([[`  … and ${hidden} more`, style.dim]]);
  return rows;
}

/** The row with the end of the answer that is being streamed in the columns that are left. */
function withAnswer(row: Part[], owner: string, { columns, style, tails }: FrameContext): Part[] {
  const taken = row.reduce((width, [text]) => width + textWidth(text), 0);
  const said = tails.endOf(owner, columns - taken - 3);
  return said === '' ? row : [...row, ['  '], [said, style.dim]];
}

/** Parts one after the other, cut together at a width. */
function joinParts(parts: readonly Part[], columns: number): string {
  let left = columns;
  let line = '';
  for (const [text, paint] of parts) {
    if (left <= 0) break;
    const cut = cutToWidth(text, left);
    left -= textWidth(cut);
    line += paint === undefined ? cut : paint(cut);
  }
  return line;
}
