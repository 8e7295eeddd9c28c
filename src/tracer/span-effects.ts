import type { ModelRequest } from '../contracts/model.ts';
import type { FlightEvent } from '../flight/events.ts';
import type { Json } from '../kernel/json.ts';
import { decide } from '../run/decide.ts';
import { attemptKey, tryKey } from '../run/effect-key.ts';
import type { Decision, Effect } from '../run/effects.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { RULES_VERSION } from '../run/rules.ts';

/** What a log holds as digests alone: the requests of model calls and the arguments of tool calls, by effect key. */
export interface RecomputedEffects {
  readonly requests: ReadonlyMap<string, ModelRequest>;
  readonly args: ReadonlyMap<string, Json>;
}

const STARTS: ReadonlySet<FlightEvent['type']> = new Set(['model.requested', 'node.started', 'call.started']);

/**
 * What was asked and called, decided again from the log. A request that would be worded otherwise today is left out, as
 * is all of a run with other rules.
 */
export function recomputeEffects(events: readonly FlightEvent[]): RecomputedEffects {
  const requests = new Map<string, ModelRequest>();
  const args = new Map<string, Json>();
  const [first, ...rest] = events;
  if (first === undefined) return { requests, args };
  const state = foldEvents([first]);
  for (const event of rest) {
    if (STARTS.has(event.type)) {
      const effect = state.rules === RULES_VERSION ? effectOf(decide(state), event) : undefined;
      if (effect?.kind === 'callModel') requests.set(effect.key, effect.request);
      else if (effect?.kind === 'callTool') args.set(attemptKey(effect.node, effect.attempt), effect.args);
      else if (effect?.kind === 'agent' && effect.effect.kind === 'callAgentTool') {
        args.set(tryKey(effect.effect.key, effect.effect.attempt), effect.effect.args);
      }
    }
    evolve(state, event);
  }
  return { requests, args };
}

/** The effect of a decision, where it is the one that was recorded. */
function effectOf(decision: Decision | null, recorded: FlightEvent): Effect | undefined {
  const decided = decision?.event;
  if (decided?.type === 'model.requested' && recorded.type === 'model.requested') {
    return decided.key === recorded.key && decided.request === recorded.request
      ? decision?.effect
      : undefined;
  }
  if (decided?.type === 'node.started' && recorded.type === 'node.started') {
    return decided.node === recorded.node && decided.args === recorded.args ? decision?.effect : undefined;
  }
  if (decided?.type === 'call.started' && recorded.type === 'call.started') {
    return decided.key === recorded.key && decided.args === recorded.args ? decision?.effect : undefined;
  }
  return undefined;
}
