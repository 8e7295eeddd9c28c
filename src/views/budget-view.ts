import type { Amounts } from '../budget/ledger.ts';
import { formatCost, formatCount, formatDuration } from './format-amounts.ts';
import { readRun } from './read-run.ts';
import type { RunReading, RunSource } from './run-reading.ts';
import { PLAIN_STYLE, type Style } from './style.ts';
import { renderTable } from './table.ts';

interface BudgetOptions {
  /** Only ASCII characters. */
  readonly isAscii?: boolean;
  readonly style?: Style;
}

const BAR_COLUMNS = 20;

const DIMENSIONS: readonly { amount: keyof Amounts; title: string; format: (value: number) => string }[] = [
  { amount: 'tokens', title: 'tokens', format: formatCount },
  { amount: 'llmCalls', title: 'model calls', format: formatCount },
  { amount: 'toolCalls', title: 'tool calls', format: formatCount },
  { amount: 'wallMs', title: 'time', format: formatDuration },
  { amount: 'costMicroUsd', title: 'cost', format: formatCost },
];

/** What a run used of its budget as lines, one a dimension, with a bar where there is a limit. */
export function renderBudget(
  source: RunSource,
  { isAscii = false, style = PLAIN_STYLE }: BudgetOptions = {},
): string[] {
  const reading = readRun(source);
  const { economyAt, minimalAt } = reading.started.task.budget;
  const paint = (shown: string, cell: string): string => {
    const percent = Number.parseInt(cell, 10);
    if (percent >= minimalAt * 100) return style.red(shown);
    return percent >= economyAt * 100 ? style.yellow(shown) : shown;
  };
  const rows = DIMENSIONS.map(({ amount, title, format }) => {
    const used = usedOf(reading, amount, format);
    const limit = reading.ledger.limits[amount];
    if (limit === Infinity) return [title, used, 'no limit', '', ''];
    const share = limit === 0 ? 1 : reading.ledger.settled[amount] / limit;
    return [title, used, format(limit), drawBar(share, isAscii), `${Math.floor(share * 100)} %`];
  });
  const table = renderTable(
    [
      { title: 'budget' },
      { title: 'used', align: 'right' },
      { title: 'limit', align: 'right' },
      { title: '' },
      { title: '', align: 'right', paint },
    ],
    rows,
    { style },
  );
  const { inherited } = reading;
  if (inherited === null) return table;
  const amounts = DIMENSIONS.map(({ amount, title, format }) => `${title} ${format(inherited[amount])}`);
  return [
    ...table,
    style.dim(`not charged, spent by ${inherited.origin} before the fork: ${amounts.join(', ')}`),
  ];
}

function usedOf(reading: RunReading, amount: keyof Amounts, format: (value: number) => string): string {
  const { calls, ledger } = reading;
  const isUnknown =
    amount === 'costMicroUsd' &&
    calls.some(({ usage, costMicroUsd }) => usage !== null && costMicroUsd === null);
  return isUnknown ? 'unknown' : format(ledger.settled[amount]);
}

function drawBar(share: number, isAscii: boolean): string {
  const [full, empty] = isAscii ? ['#', '.'] : ['█', '░'];
  const count = Math.min(BAR_COLUMNS, share > 0 ? Math.max(1, Math.floor(share * BAR_COLUMNS)) : 0);
  return full.repeat(count) + empty.repeat(BAR_COLUMNS - count);
}
