import type { HookedOutcome } from '../contracts/hooks.ts';
import type { EventOf, EventPayload } from '../flight/events.ts';
import { isJsonObject } from '../kernel/json.ts';
import { nodeOfAgent } from '../run/crew-state.ts';
import type { Effect } from '../run/effects.ts';
import type { RunState } from '../run/state.ts';
import type { BeforeCall } from './call-hooks.ts';
import type { CallAsked, RunHooks } from './perform-hooked.ts';
import type { EnginePorts } from './ports.ts';

type HooksEffect = Extract<Extract<Effect, { kind: 'agent' }>['effect'], { kind: 'askHooks' }>;
type Answer = Omit<EventOf<'call.hooked'>, 'type' | 'seq' | 'at' | 'agent' | 'key' | 'when'>;

/**
 * Asks hooks about a call that no code outside makes: before it, or after it about its outcome. Always gives one answer;
 * a hook that does not answer in the time that a call has blocks the call, or changes nothing any more.
 */
export async function askHooks(
  { hooks, clock }: Pick<EnginePorts, 'hooks' | 'clock'>,
  state: RunState,
  { agent, key, tool, args, outcome }: HooksEffect,
  warn: (message: string) => void,
): Promise<EventPayload> {
  const call: CallAsked = {
    ...{ node: nodeOfAgent(state, agent), key, tool: tool.name, spec: tool },
    args: isJsonObject(args) ? args : {},
  };
  const limitMs = state.task.limits.nodeTimeoutMs;
  const asked = outcome === null ? askBefore(hooks, call) : askAfter(hooks, call, outcome, warn);
  const answer = await new Promise<Answer>((resolve) => {
    const cancel = clock.setTimer(limitMs, () => {
      const message = `${outcome === null ? 'preToolCall' : 'postToolCall'} did not answer within ${limitMs} ms`;
      if (outcome !== null) warn(message);
      resolve(
        outcome === null
          ? { failure: { code: 'policy_denied', class: 'POLICY', message, details: { hook: true } } }
          : {},
      );
    });
    void asked.then(resolve).finally(cancel);
  });
  return { type: 'call.hooked', agent, key, when: outcome === null ? 'before' : 'after', ...answer };
}

async function askBefore(hooks: RunHooks | undefined, call: CallAsked): Promise<Answer> {
  const said: BeforeCall = (await hooks?.before(call)) ?? { kind: 'go' };
  switch (said.kind) {
    case 'go':
      return {};
    case 'changed':
      return { args: said.args };
    case 'blocked':
      return { failure: said.failure };
  }
}

async function askAfter(
  hooks: RunHooks | undefined,
  call: CallAsked,
  outcome: HookedOutcome,
  warn: (message: string) => void,
): Promise<Answer> {
  const said = await hooks?.after(call, outcome, warn);
  return said === undefined || !outcome.ok ? {} : { value: said.value };
}
