import type { Failure } from '../contracts/failure.ts';
import type { Decision } from './effects.ts';
import { changeBeforeCall, decideCall, type PlacedLink, type WantedCall } from './model-request.ts';
import { chainFor, nextLink } from './chains.ts';
import { decideRecall, isRecalling } from './decide-recall.ts';
import { mayCall, wallLeftMs } from './modes.ts';
import type { RunState } from './state.ts';

/** The model call as a decision, after what it owes before: a change of mode, a recall. Null where it has to wait. */
export function makeCall(state: RunState, wanted: WantedCall): Decision | null {
  const change = changeBeforeCall(state);
  if (change !== null) return change;
  if (!mayCall(state) && wanted.isFinal !== true) {
    const asker = wanted.node === '' ? {} : { node: wanted.node };
    const dimension = state.stop?.by === 'policy' ? 'policy' : 'pressure';
    return { event: { type: 'model.refused', key: wanted.id, role: wanted.role, ...asker, dimension } };
  }
  if (isRecalling(state, wanted.id)) return null;
  return decideRecall(state, wanted) ?? decideCall(state, wanted, linkFor(state, wanted));
}

/** The place in its chain where a call is made: where it was made before or sent on to, else the first with quota. */
export function linkFor(state: RunState, wanted: WantedCall): PlacedLink {
  const chain = chainFor(state, wanted.role, wanted.keepsModel);
  const call = state.calls.get(wanted.id);
  const placed = call === undefined || call.tries === 0 ? (nextLink(state, chain, 0) ?? 0) : call.link;
  const link = Math.min(placed, chain.length - 1);
  return { link, ...(chain[link] ?? { provider: '', model: '' }) };
}

/** Whether a wait takes more running time than is left; a run without any left ends by its pressure. */
export function isOutOfTime(state: RunState, delayMs: number): boolean {
  const leftMs = wallLeftMs(state);
  return leftMs > 0 && delayMs >= leftMs;
}

/** The failure of what would be tried again, had waiting for that not taken more time than is left. */
export function outOfTime(failure: Failure, delayMs: number): Failure {
  const seconds = Math.ceil(delayMs / 1000);
  return { ...failure, message: `${failure.message}; to wait ${seconds} s would pass budget.wallSeconds` };
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
