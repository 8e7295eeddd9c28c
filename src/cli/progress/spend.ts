import { countOf } from '../count-of.ts';
import { formatCost, formatCount, formatDuration } from '../../views/format-amounts.ts';
import type { RunState } from '../../index.ts';

type Amount = keyof RunState['ledger']['settled'];

const AMOUNTS: readonly (readonly [Amount, string])[] = [
  ['tokens', 'tokens'],
  ['toolCalls', 'toolCalls'],
  ['llmCalls', 'llmCalls'],
  ['costMicroUsd', 'costUsd'],
  ['wallMs', 'wallSeconds'],
];

/** How pressed the budget is, and in which dimension; null where none has a limit. */
export function findPressure({ ledger }: RunState): { pressure: number; dimension: string | null } {
  const { settled, limits } = ledger;
  let pressure = 0;
  let dimension: string | null = null;
  for (const [amount, name] of AMOUNTS) {
    const limit = limits[amount];
    if (limit === Infinity) continue;
    const ratio = limit === 0 ? 1 : settled[amount] / limit;
    if (dimension === null || ratio > pressure) [pressure, dimension] = [ratio, name];
  }
  return { pressure, dimension };
}

/** What has been spent, on one line. */
export function describeSpend(state: RunState, elapsedMs: number): string {
  const { settled } = state.ledger;
  const cost = `${state.hasUnknownCost ? '≥ ' : ''}${formatCost(settled.costMicroUsd)}`;
  return [
    cost,
    countOf(settled.toolCalls, 'tool call'),
    countOf(settled.llmCalls, 'model call'),
    `${formatCount(settled.tokens)} tokens`,
    formatDuration(elapsedMs),
  ].join(' · ');
}
