import type { Failure } from '../contracts/failure.ts';
import type { ModelAnswer } from '../contracts/model.ts';
import type { Plan } from '../contracts/plan.ts';
import type { Json, JsonObject } from '../kernel/json.ts';

/** An event of a run, as its log holds it; `at` in epoch milliseconds. */
export interface RunEvent {
  readonly type: string;
  readonly at: number;
}

/** The events from which is remembered, with the fields that are read. A test holds them against the log's own. */
export interface RememberedEvents {
  'run.started': { readonly runId: string; readonly goal: string };
  'plan.accepted': { readonly plan: Plan };
  'replan.started': object;
  'model.answered': { readonly key: string; readonly answer: ModelAnswer };
  'node.started': { readonly node: string; readonly agent?: string | undefined };
  'node.amended': { readonly node: string; readonly by: string };
  'node.done': { readonly node: string; readonly value: Json };
  'node.failed': { readonly node: string; readonly failure: Failure };
  'turn.read': {
    readonly agent: string;
    readonly calls: readonly { readonly key: string; readonly tool: string }[];
  };
  'call.started': { readonly key: string; readonly tool: string };
  'call.amended': { readonly key: string; readonly args: JsonObject };
  'call.returned': { readonly key: string; readonly value: Json };
  'call.failed': { readonly key: string; readonly failure: Failure };
  'verdict.reached': { readonly verdict: { readonly reasons: readonly string[] } };
  'run.finished': { readonly status: string; readonly reason: string };
  'run.interrupted': object;
  'run.resumed': object;
  'run.forked': { readonly runId: string; readonly overrides: { readonly goal?: string | undefined } };
}

/** Narrows an event by its type. */
export function isEvent<Type extends keyof RememberedEvents>(
  event: RunEvent,
  type: Type,
): event is RunEvent & { readonly type: Type } & RememberedEvents[Type] {
  return event.type === type;
}
