import type { BudgetMode } from '../contracts/budget.ts';
import { FENCE_ROOM } from '../contracts/fence.ts';
import { hasGuards } from '../contracts/policy.ts';
import { measurePressure, modeAt } from '../budget/pressure.ts';
import type { Decision } from './effects.ts';
import type { RunState } from './state.ts';

/** The change of mode that the budget owes, or null. */
export function changeOfMode(state: RunState, onlyToStopped = false): Decision | null {
  const { pressure, dimension } = measurePressure(state.ledger);
  const mode: BudgetMode = state.stop?.by === 'budget' ? 'stopped' : modeAt(pressure, state.task.budget);
  if (mode === state.mode || (onlyToStopped && mode !== 'stopped')) return null;
  return { event: { type: 'pressure.changed', mode, pressure, dimension } };
}

/** True while new calls may be made. */
export function mayCall(state: RunState): boolean {
  return state.stop === null && state.mode !== 'stopped';
}

/** Characters of context that a prompt may hold in the mode in force, beside its fences: all of them, or half. */
export function contextChars(state: RunState, share = 1): number {
  const { contextChars: full } = state.task.memory;
  const allowed = Math.floor((state.mode === 'full' ? full : Math.floor(full / 2)) * share);
  return hasGuards(state.task.policy) ? Math.max(0, allowed - FENCE_ROOM) : allowed;
}

/** Milliseconds of running time that are left; Infinity without a limit. */
export function wallLeftMs(state: RunState): number {
  return Math.max(0, state.ledger.limits.wallMs - state.ledger.settled.wallMs);
}
