import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import type { ToolEffect } from '../contracts/tool.ts';

/** A call that ended: what was called, and what came of it, as digests. */
export interface PastCall {
  readonly key: string;
  readonly signature: string;
  readonly outcome: string;
  readonly effect: ToolEffect;
  readonly ok: boolean;
}

/** A call that would go round in a circle: the first of its equals, and whether others stand between them. */
export interface Repetition {
  readonly first: PastCall;
  readonly kind: 'repeated_call' | 'repeated_cycle';
}

/** Calls before, behind which no repetition is looked for. */
const MEMORY = 200;

/** What two calls have in common that ask the same. */
export function callSignature(tool: string, args: Json): string {
  return hashJson([tool, args]);
}

/** Notes a call that ended; only the last 200 are remembered. */
export function noteCall(history: PastCall[], call: PastCall): void {
  history.push(call);
  if (history.length > MEMORY) history.shift();
}

/**
 * Why a call is not made: its last two equals had the same outcome, and nothing since then can have changed it. Polling
 * whose outcomes differ is none, nor is a call again after a change that was not made before.
 */
export function findRepetition(history: readonly PastCall[], signature: string): Repetition | null {
  const run = sameOutcomes(history, signature);
  const last = run.at(-1);
  const first = run[0];
  if (run.length < 2 || last === undefined || first === undefined) return null;
  const since = history.slice(history.indexOf(last) + 1);
  if (since.some((call) => isNewChange(history, call))) return null;
  return { first, kind: kindOf(history, signature) };
}

/** The repetition that a call has become whose outcome is the same for the third time; null where it is none. */
export function findThirdOutcome(history: readonly PastCall[], signature: string): Repetition | null {
  const run = sameOutcomes(history, signature);
  const first = run[0];
  return run.length < 3 || first === undefined ? null : { first, kind: kindOf(history, signature) };
}

/** The last calls of a signature, as far back as they had the outcome of the newest. */
function sameOutcomes(history: readonly PastCall[], signature: string): readonly PastCall[] {
  const equals = history.filter((call) => call.signature === signature);
  const outcome = equals.at(-1)?.outcome;
  const different = equals.findLastIndex((call) => call.outcome !== outcome);
  return equals.slice(different + 1);
}

function isNewChange(history: readonly PastCall[], call: PastCall): boolean {
  if (call.effect === 'read' || !call.ok) return false;
  return history.filter(({ signature }) => signature === call.signature).length === 1;
}

/** A cycle where the call before the newest equal is another one. */
function kindOf(history: readonly PastCall[], signature: string): Repetition['kind'] {
  const newest = history.findLastIndex((call) => call.signature === signature);
  const before = history.slice(0, newest).findLastIndex((call) => call.signature === signature);
  return newest - before > 1 ? 'repeated_cycle' : 'repeated_call';
}
