import { type EventPayload, type FlightEvent, provenanceOf } from '../flight/events.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';
import { decide } from '../run/decide.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { RULES_VERSION } from '../run/rules.ts';
import { isOver, type RunState } from '../run/state.ts';

/** The first place where a log says otherwise than the rules compute. `seq` is the number of the event. */
export interface Divergence {
  readonly seq: number;
  readonly type: string;
  readonly field: string;
  readonly recorded: Json;
  readonly computed: Json;
}

/** What a replay found. No provider and no tool was called. */
export interface ReplayReport {
  readonly events: number;
  /** The log holds the end of the run. */
  readonly isComplete: boolean;
  /** Prompts whose hash differs from the recorded one, and anything that could not be recomputed. */
  readonly warnings: readonly string[];
  readonly divergence: Divergence | null;
}

/** Fields of `model.requested` that follow from the prompt: they drift with its wording. */
const PROMPT_FIELDS: ReadonlySet<string> = new Set(['request', 'reserved']);

/** Decides again over the recorded inputs and compares every computed field; `isStrict` makes prompt drift a divergence. */
export function replay(events: readonly FlightEvent[], isStrict = false): ReplayReport {
  const [first, ...rest] = events;
  const warnings: string[] = [];
  if (first === undefined) return { events: 0, isComplete: false, warnings, divergence: null };
  const state = foldEvents([first]);
  if (state.rules !== RULES_VERSION) {
    warnings.push(
      `the run was decided by rules ${state.rules}; this version has rules ${RULES_VERSION} and cannot recompute it`,
    );
    for (const event of rest) evolve(state, event);
    return { events: events.length, isComplete: isOver(state), warnings, divergence: null };
  }
  for (const event of rest) {
    const divergence = compareNext(state, event, isStrict, warnings);
    if (divergence !== null) return { events: events.length, isComplete: false, warnings, divergence };
    evolve(state, event);
  }
  return { events: events.length, isComplete: isOver(state), warnings, divergence: null };
}

function compareNext(
  state: RunState,
  event: FlightEvent,
  isStrict: boolean,
  warnings: string[],
): Divergence | null {
  if (mayComeAnytime(event)) return null;
  const owed = decide(state)?.event ?? null;
  if (owed !== null) return compareDecision(owed, event, isStrict, warnings);
  return provenanceOf(event) === 'recorded'
    ? null
    : diverge(event, 'type', event.type, 'nothing is owed here');
}

/** Inputs that do not wait until nothing is owed: they come while nobody runs the run, or right after that. */
function mayComeAnytime(event: FlightEvent): boolean {
  const { type } = event;
  if (type === 'approval.decided' || type === 'node.amended') return event.atRest === true;
  return type === 'run.resumed' || type === 'run.forked' || type === 'catalogue.published';
}

function compareDecision(
  owed: EventPayload,
  event: FlightEvent,
  isStrict: boolean,
  warnings: string[],
): Divergence | null {
  if (owed.type !== event.type) return diverge(event, 'type', event.type, owed.type);
  const recorded = event as unknown as Record<string, unknown>;
  const computed = owed as unknown as Record<string, unknown>;
  const fields = new Set([...Object.keys(computed), ...Object.keys(recorded)]);
  let hasDrifted = false;
  for (const field of fields) {
    if (field === 'seq' || field === 'at') continue;
    const [was, is] = [toComparable(recorded[field]), toComparable(computed[field])];
    if (canonicalJson(was) === canonicalJson(is)) continue;
    if (event.type !== 'model.requested' || !PROMPT_FIELDS.has(field) || isStrict) {
      return diverge(event, field, was, is);
    }
    hasDrifted ||= field === 'request';
  }
  if (hasDrifted && event.type === 'model.requested') {
    warnings.push(`event ${event.seq}: the prompt of ${event.key} differs from the recorded one`);
  }
  return null;
}

function toComparable(value: unknown): Json {
  return value === undefined ? null : toPlainJson(value);
}

function diverge(event: FlightEvent, field: string, recorded: Json, computed: Json): Divergence {
  return { seq: event.seq, type: event.type, field, recorded, computed };
}
