import { z } from 'zod';
import type { Json, JsonObject } from '../kernel/json.ts';
import { type Failure, failureSchema } from './failure.ts';
import { jsonValue } from './json-value.ts';
import type { ToolSpec } from './tool.ts';

/** A call of a tool as hooks are shown it, whoever makes it. */
export interface HookedCall {
  readonly runId: string;
  /** Id of the node; of a call of an agent, that of the node whose agent it is. */
  readonly node: string;
  /** Key of the effect, such as `send/1`. */
  readonly key: string;
  readonly tool: ToolSpec;
  readonly args: JsonObject;
}

/** What a hook says of a call that is about to be made: nothing lets it go on as it is. */
export type PreToolDecision =
  | { readonly block: string }
  /** Other arguments, which the tool must take; policy looks at them, and people are asked, as if they were the plan's. */
  | { readonly args: JsonObject };

/** How a call ended, as hooks are shown it. */
export type HookedOutcome =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly failure: Failure };

/** What hooks say, as events hold it: what is left out stays as it is. */
export const hookedShape = {
  when: z.enum(['before', 'after']),
  args: z.record(z.string(), jsonValue).optional().meta({ description: 'Other arguments.' }),
  failure: failureSchema.optional().meta({ description: 'Why it is not made.' }),
  value: jsonValue.optional().meta({ description: 'What takes the place of its result.' }),
};

/** A hook that stands in the place of a decision may return a promise of it, or nothing. */
type Perhaps<T> = T | undefined | Promise<T | undefined>;

/** Code of one's own around every call of a tool. */
export interface Hooks {
  /**
   * Called once for every call, before it is made; it may block it or change its arguments. Attempts after the first are the
   * same call; where its answer was never had, as after a timeout, it is asked again. Where it throws, the call is blocked.
   */
  readonly preToolCall?: (call: HookedCall) => Perhaps<PreToolDecision>;
  /** Called after each attempt; a `value` takes the place of the result. What it throws is logged, and changes nothing. */
  readonly postToolCall?: (call: HookedCall, outcome: HookedOutcome) => Perhaps<{ readonly value: Json }>;
}
