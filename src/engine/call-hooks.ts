/*
 * What hooks say of calls. It is the seam for whoever calls a tool on behalf of a run, a node of its plan or an agent:
 * `askBefore` before the call, once, and `askAfter` after each attempt; neither ever throws.
 */
import type { Failure } from '../contracts/failure.ts';
import type { HookedCall, HookedOutcome, Hooks } from '../contracts/hooks.ts';
import { schemaIssues } from '../contracts/schema.ts';
import { canonicalJson } from '../kernel/canonical-json.ts';
import { isJsonObject, type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';

/** What becomes of a call that is about to be made. */
export type BeforeCall =
  | { readonly kind: 'go' }
  | { readonly kind: 'changed'; readonly args: JsonObject }
  | { readonly kind: 'blocked'; readonly failure: Failure };

const GO: BeforeCall = { kind: 'go' };

/** What the hook says of a call: a throw, or an answer that is none, blocks it. Equal arguments are no change. */
export async function askBefore(hooks: Hooks, call: HookedCall): Promise<BeforeCall> {
  if (hooks.preToolCall === undefined) return GO;
  try {
    const said: unknown = await hooks.preToolCall(call);
    if (said === undefined || said === null) return GO;
    const plain = toPlainJson(said);
    if (isJsonObject(plain) && typeof plain['block'] === 'string') return blocked(plain['block']);
    const args = isJsonObject(plain) ? plain['args'] : undefined;
    if (args === undefined || !isJsonObject(args)) {
      return blocked('it returned neither nothing, { block } nor { args }');
    }
    if (canonicalJson(args) === canonicalJson(call.args)) return GO;
    const [issue] = schemaIssues(call.tool.input, args);
    if (issue === undefined) return { kind: 'changed', args };
    return blocked(
      `its arguments break the schema of ${call.tool.name}: ${issue.pointer || '(root)'}: ${issue.message}`,
    );
  } catch (thrown) {
    return blocked(`it threw: ${messageOf(thrown)}`);
  }
}

function blocked(reason: string): BeforeCall {
  return {
    kind: 'blocked',
    failure: {
      code: 'policy_denied',
      class: 'POLICY',
      message: `preToolCall: ${reason}`,
      details: { hook: true },
    },
  };
}

/** The value that takes the place of the result, nothing where the result stays; `warn` is told what went wrong. */
export async function askAfter(
  hooks: Hooks,
  call: HookedCall,
  outcome: HookedOutcome,
  warn: (message: string) => void,
): Promise<{ readonly value: Json } | undefined> {
  try {
    const said: unknown = await hooks.postToolCall?.(call, outcome);
    if (said === undefined || said === null) return undefined;
    const plain = toPlainJson(said);
    if (isJsonObject(plain) && Object.hasOwn(plain, 'value')) return { value: plain['value'] as Json };
    warn('postToolCall returned neither nothing nor { value }');
  } catch (thrown) {
    warn(`postToolCall threw: ${messageOf(thrown)}`);
  }
  return undefined;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
