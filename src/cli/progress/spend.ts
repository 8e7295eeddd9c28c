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

/** Pressure, mode and what has been spent, on one line. */
export function describeSpend(state: RunState, elapsedMs: number): string {
  const { settled, limits } = state.ledger;
  let [highest, where] = [0, ''];
  for (const [amount, name] of AMOUNTS) {
    const limit = limits[amount];
    const ratio = limit === Infinity ? 0 : limit === 0 ? 1 : settled[amount] / limit;
    if (ratio > highest) [highest, where] = [ratio, name];
  }
  const pressure = where === '' ? 'pressure 0.00' : `pressure ${highest.toFixed(2)} (${where})`;
  const cost = `${state.hasUnknownCost ? '≥ ' : ''}${formatCost(settled.costMicroUsd)}`;
  return [
    pressure,
    ...(state.mode === 'full' ? [] : [`mode ${state.mode}`]),
    cost,
    countOf(settled.toolCalls, 'tool call'),
    countOf(settled.llmCalls, 'model call'),
    `${formatCount(settled.tokens)} tokens`,
    formatDuration(elapsedMs),
  ].join(' · ');
}
