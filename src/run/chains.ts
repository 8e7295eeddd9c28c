import { type ChainLink, chainOf } from '../contracts/provider-chain.ts';
import type { Failure } from '../contracts/failure.ts';
import { tryKey } from './effect-key.ts';
import type { Decision } from './effects.ts';
import type { ModelCall, RunState } from './state.ts';

/** Refreshes of one provider's key in a run. */
const MOST_REFRESHES = 2;

/** The chain of a role in the mode in force; with `keepsModel` as in full mode, for what the economy model cannot make. */
export function chainFor(state: RunState, role: string, keepsModel = false): readonly ChainLink[] {
  return chainOf(state.task, role, state.mode !== 'full' && !keepsModel);
}

/** The first place of a chain at or behind `from` whose provider has quota as far as is known; null where there is none. */
export function nextLink(state: RunState, chain: readonly ChainLink[], from: number): number | null {
  for (let link = from; link < chain.length; link++) {
    const until = state.cooling.get(chain[link]?.provider ?? '');
    if (until === undefined || until <= state.now) return link;
  }
  return null;
}

/** What a failed call owes before it is given up: a fresh key, or the next provider of its chain; null for neither. */
export function decideFallback(state: RunState, call: ModelCall, failure: Failure): Decision | null {
  const key = tryKey(call.id, call.tries);
  if (failure.code === 'model_unauthorized' && canRefresh(state, call)) {
    return {
      event: { type: 'credential.requested', key, provider: call.provider },
      effect: { kind: 'refreshCredential', key, provider: call.provider },
    };
  }
  if (!fallsBack(failure)) return null;
  const chain = chainFor(state, call.role, call.ask?.media !== undefined);
  const link = nextLink(state, chain, call.link + 1);
  const next = link === null ? undefined : chain[link];
  if (link === null || next === undefined) return null;
  return {
    event: {
      type: 'fallback.chosen',
      key,
      from: call.provider,
      to: next.provider,
      link,
      reason: failure.code,
    },
  };
}

function canRefresh(state: RunState, call: ModelCall): boolean {
  const isRefreshable = state.refreshable.has(call.provider);
  return isRefreshable && (state.refreshes.get(call.provider) ?? 0) < MOST_REFRESHES;
}

/** A malformed request would be refused everywhere, and what a model said is no fault of its provider. */
function fallsBack({ code, class: failureClass }: Failure): boolean {
  if (code === 'model_unauthorized' || code === 'model_quota') return true;
  return failureClass === 'TRANSIENT';
}
