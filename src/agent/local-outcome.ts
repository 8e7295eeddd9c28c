import type { Failure } from '../contracts/failure.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/** What a tool that lives in the agent itself did: its new state and its result, or a failure that changed nothing. */
export type LocalOutcome<State> =
  | { readonly ok: true; readonly state: State; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure };

/** A failure that the model can mend by other arguments. */
export function refuseLocal(message: string, details: JsonObject): { ok: false; failure: Failure } {
  return { ok: false, failure: { code: 'tool_misuse', class: 'TOOL_MISUSE', message, details } };
}
