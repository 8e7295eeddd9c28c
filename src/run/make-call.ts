import type { Failure } from '../contracts/failure.ts';
import type { Decision } from './effects.ts';
import { changeBeforeCall, decideCall, type WantedCall } from './model-request.ts';
import { mayCall, modelFor } from './modes.ts';
import type { RunState } from './state.ts';

/** The model call as a decision, after the change of mode that it may owe; null where it has to wait. */
export function makeCall(state: RunState, wanted: WantedCall): Decision | null {
  const change = changeBeforeCall(state);
  if (change !== null) return change;
  if (!mayCall(state) && wanted.isFinal !== true) {
    const asker = wanted.node === '' ? {} : { node: wanted.node };
    const dimension = state.stop?.by === 'policy' ? 'policy' : 'pressure';
    return { event: { type: 'model.refused', key: wanted.id, role: wanted.role, ...asker, dimension } };
  }
  return decideCall(state, wanted, modelFor(state, wanted.role));
}

/** Delay before the next attempt: Retry-After up to the cap, else exponential with full jitter. */
export function backoffMs(
  failure: Failure,
  attempts: number,
  draw: number,
  limits: { backoffMs: number; backoffCapMs: number },
): number {
  if (failure.retryAfterMs !== undefined) return Math.min(failure.retryAfterMs, limits.backoffCapMs);
  return draw * Math.min(limits.backoffMs * 2 ** (attempts - 1), limits.backoffCapMs);
}
