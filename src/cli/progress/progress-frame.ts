import { type ShownState, shownState, type StateCounts } from '../../views/page/shown-state.ts';
import type { Style } from '../../views/style.ts';
import { toOneLine } from '../../views/text-width.ts';
import type { AnswerTails } from './answer-tails.ts';
import type { NodeTimes } from './node-times.ts';
import { joinParts, type Part } from './parts.ts';
import { pressureRow } from './pressure-bar.ts';
import { countParts, renderTree } from './progress-tree.ts';
import { describeSpend } from './spend.ts';
import type { RunState } from '../../index.ts';

/** What a frame shows beside the state. */
export interface FrameContext {
  readonly style: Style;
  readonly columns: number;
  /** Rows of the terminal; a frame leaves one of them to the cursor. */
  readonly rows: number;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly startedAt: number;
  readonly times: NodeTimes;
  /** What models say just now. */
  readonly tails: AnswerTails;
  readonly isInterrupting: boolean;
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const SPIN_MS = 80;
const BAR_COLUMNS = 20;

/** The picture of a run under way: nodes by state, pressure and spend, and the tree of what it does. */
export function renderFrame(state: RunState, context: FrameContext): string[] {
  const { style, columns, now } = context;
  const spinner = SPINNER[Math.floor(now / SPIN_MS) % SPINNER.length] ?? '';
  const phase = context.isInterrupting ? 'interrupting' : state.phase;
  const head: Part[][] = [
    [
      [`${spinner} `, style.cyan],
      [toOneLine(state.task.name), style.bold],
      [` ${state.runId}`, style.dim],
      [` ${phase}`],
    ],
    nodesRow(state, style),
    pressureRow(state, style, columns - 1),
    [['  '], [describeSpend(state, now - context.startedAt)]],
  ];
  const lines = head.map((row) => joinParts(row, columns - 1));
  const room = Math.max(1, context.rows - 1);
  if (room <= lines.length) return lines.slice(0, room);
  return [...lines, ...renderTree(state, room - lines.length, { ...context, spinner })];
}

function nodesRow(state: RunState, style: Style): Part[] {
  const counts = countStatuses(state);
  const total = state.nodes.size;
  if (total === 0) return [['  no plan yet', style.dim]];
  const done = counts.done ?? 0;
  const filled = Math.round((done / total) * BAR_COLUMNS);
  return [
    ['  '],
    ['█'.repeat(filled), style.green],
    ['░'.repeat(BAR_COLUMNS - filled), style.dim],
    [` ${done}/${total}`],
    [' · ', style.dim],
    ...countParts(counts, style),
  ];
}

function countStatuses({ nodes }: RunState): StateCounts {
  const counts: Partial<Record<ShownState, number>> = {};
  for (const { status } of nodes.values()) {
    const shown = shownState(status);
    counts[shown] = (counts[shown] ?? 0) + 1;
  }
  return counts;
}
