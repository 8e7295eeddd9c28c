/*
 * The decision rules by version. A log says which version decided it, from its first event on or from a resumption on,
 * and a replay takes that one. A change of the rules that would answer an old log otherwise raises RULES_VERSION; the
 * rules before it either stay here under their number, or are dropped, and replays say that they cannot recompute them.
 */
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import { decide } from './decide.ts';
import { evolve, foldEvents } from './evolve.ts';
import { RULES_VERSION } from './rules.ts';

/** A run as one version of the rules goes through it. */
export interface Recomputation {
  /** The event that is owed next, or null where the run waits for an input or is over. */
  owed(): EventPayload | null;
  /** Takes the next event of the log; throws where it cannot follow from those before it. */
  fold(event: FlightEvent): void;
}

/** One version of the rules: goes on from the events that a log begins with. */
export type RuleSet = (events: readonly FlightEvent[]) => Recomputation;

/** The versions that this program can recompute. */
export const RULE_SETS: ReadonlyMap<number, RuleSet> = new Map([[RULES_VERSION, recomputeNow]]);

function recomputeNow(events: readonly FlightEvent[]): Recomputation {
  const state = foldEvents(events);
  return {
    owed: () => decide(state)?.event ?? null,
    fold: (event) => evolve(state, event),
  };
}
