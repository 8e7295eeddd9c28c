import { type EventPayload, type FlightEvent, provenanceOf } from '../flight/events.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { type Json, toPlainJson } from '../kernel/json.ts';
import { type Recomputation, RULE_SETS, type RuleSet } from '../run/rule-sets.ts';

/** The first place where a log says otherwise than the rules compute. `seq` is the number of the event. */
export interface Divergence {
  readonly seq: number;
  readonly type: string;
  readonly field: string;
  readonly recorded: Json;
  readonly computed: Json;
}

/** Events, by their first and last number, whose decisions were made by rules that this version does not have. */
export interface NotRecomputed {
  readonly from: number;
  readonly to: number;
  readonly rules: number;
}

/** What a replay found. No provider and no tool was called. */
export interface ReplayReport {
  readonly events: number;
  /** The log holds the end of the run. */
  readonly isComplete: boolean;
  /** Prompts whose hash differs from the recorded one, and anything that could not be recomputed. */
  readonly warnings: readonly string[];
  readonly divergence: Divergence | null;
  /** Left out where everything was recomputed. */
  readonly notRecomputed?: readonly NotRecomputed[];
}

/** Fields of `model.requested` that follow from the prompt: they drift with its wording. */
const PROMPT_FIELDS: ReadonlySet<string> = new Set(['request', 'reserved']);

/**
 * Decides again over the recorded inputs, each part of the log by the rules that decided it, and compares every computed
 * field; `isStrict` makes prompt drift a divergence. Throws `log_corrupt` where an event cannot follow from those before.
 */
export function replay(
  events: readonly FlightEvent[],
  isStrict = false,
  ruleSets: ReadonlyMap<number, RuleSet> = RULE_SETS,
): ReplayReport {
  const warnings: string[] = [];
  const skipped: NotRecomputed[] = [];
  for (const part of partsOf(events)) {
    const run = recompute(events.slice(0, part.from + 1), ruleSets.get(part.rules), part);
    if (run === null) {
      skipped.push(part);
      warnings.push(tellSkipped(part, [...ruleSets.keys()]));
      continue;
    }
    for (const event of events.slice(part.from + 1, part.to + 1)) {
      const divergence = compareNext(run, event, isStrict, warnings);
      if (divergence !== null) return { events: events.length, isComplete: false, warnings, divergence };
      fold(run, event);
    }
  }
  const isComplete = hasEnd(events);
  const notRecomputed = skipped.length === 0 ? {} : { notRecomputed: skipped };
  return { events: events.length, isComplete, warnings, divergence: null, ...notRecomputed };
}

/** A log in parts, each decided by one version of the rules: whoever takes a run up decides by his own. */
function partsOf(events: readonly FlightEvent[]): NotRecomputed[] {
  const parts: { from: number; to: number; rules: number }[] = [];
  for (const [index, event] of events.entries()) {
    const last = parts.at(-1);
    const isBegun =
      event.type === 'run.started' || event.type === 'run.resumed' || event.type === 'run.forked';
    if (isBegun && event.rules !== last?.rules) parts.push({ from: index, to: index, rules: event.rules });
    else if (last !== undefined) last.to = index;
  }
  return parts;
}

/** The run after these events; null where its rules are not there, or cannot read what rules before them decided. */
function recompute(
  events: readonly FlightEvent[],
  rules: RuleSet | undefined,
  { from }: NotRecomputed,
): Recomputation | null {
  try {
    return rules?.(events) ?? null;
  } catch (error) {
    if (from > 0) return null;
    throw error;
  }
}

function tellSkipped({ from, to, rules }: NotRecomputed, known: readonly number[]): string {
  const which = `events ${from} to ${to} were decided by rules ${rules}`;
  return `${which}, which this version cannot recompute (it has rules ${known.join(', ')})`;
}

function fold(run: Recomputation, event: FlightEvent): void {
  try {
    run.fold(event);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new OrchestratorError(
      'log_corrupt',
      `event ${event.seq} (${event.type}) cannot follow from those before it: ${problem}`,
      { details: { seq: event.seq, problem }, cause: error },
    );
  }
}

/** Whether the last that is heard of the run is its end, or an early one. */
function hasEnd(events: readonly FlightEvent[]): boolean {
  const last = events.findLast(
    ({ type }) =>
      type === 'run.finished' ||
      type === 'run.interrupted' ||
      type === 'run.resumed' ||
      type === 'run.forked',
  );
  return last?.type === 'run.finished' || last?.type === 'run.interrupted';
}

function compareNext(
  run: Recomputation,
  event: FlightEvent,
  isStrict: boolean,
  warnings: string[],
): Divergence | null {
  if (mayComeAnytime(event)) return null;
  const owed = run.owed();
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
