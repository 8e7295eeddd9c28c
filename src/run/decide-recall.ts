import { recallKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import type { WantedCall } from './model-request.ts';
import { wallLeftMs } from './modes.ts';
import { recallBudget } from './recalled-text.ts';
import type { RunState } from './state.ts';

/** A memory that took too long so often in a row is left alone. */
const MOST_TIMEOUTS = 3;

/** True while something is being recalled for a call. */
export function isRecalling(state: RunState, call: string): boolean {
  return state.memory.recalls.get(call)?.isUnderWay === true;
}

/** The recall that a call owes before it is made, or null: it has one already, or there is no memory to ask. */
export function decideRecall(state: RunState, wanted: WantedCall): Decision | null {
  const { id, recall, node } = wanted;
  const { isOn, recalls, timeoutsInRow } = state.memory;
  if (recall === undefined || !isOn || timeoutsInRow >= MOST_TIMEOUTS) return null;
  const budgetChars = recallBudget(state, wanted);
  const known = recalls.get(id);
  if (budgetChars < 1 || (known !== undefined && known.budgetChars <= budgetChars)) return null;
  const key = recallKey(id, (known?.ordinal ?? 0) + 1);
  const timeoutMs = Math.min(state.task.memory.timeoutMs, Math.ceil(wallLeftMs(state)));
  const asker = node === '' ? {} : { node };
  return {
    event: { type: 'memory.requested', key, call: id, ...asker, budgetChars, timeoutMs },
    effect: { kind: 'recall', key, ...recall.ask(), budgetChars, timeoutMs },
    // It changes nothing, so that it need not wait for its own event to be durable.
    after: -1,
  };
}
