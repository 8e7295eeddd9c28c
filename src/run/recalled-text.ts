import type { WantedCall } from './model-request.ts';
import { contextChars } from './modes.ts';
import type { RunState } from './state.ts';

/** The longest that what is recalled for a call may be, in the mode in force: its share, which the fences are taken off. */
export function recallBudget(state: RunState, { recall }: Pick<WantedCall, 'recall'>): number {
  return recall === undefined ? 0 : contextChars(state, recall.share);
}

/** What was recalled for a call; empty where it has become too long since. */
export function recalledText(state: RunState, wanted: Pick<WantedCall, 'id' | 'recall'>): string {
  const text = state.memory.recalls.get(wanted.id)?.text ?? '';
  return text.length <= recallBudget(state, wanted) ? text : '';
}
