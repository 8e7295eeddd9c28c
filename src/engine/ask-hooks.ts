import type { Failure } from '../contracts/failure.ts';
import type { HookedOutcome } from '../contracts/hooks.ts';
import type { EventOf, EventPayload } from '../flight/events.ts';
import { isJsonObject } from '../kernel/json.ts';
import { nodeOfAgent } from '../run/crew-state.ts';
import type { Effect } from '../run/effects.ts';
import { wallLeftMs } from '../run/modes.ts';
import type { RunState } from '../run/state.ts';
import type { BeforeCall } from './call-hooks.ts';
import type { CallAsked, RunHooks } from './perform-hooked.ts';
import type { EnginePorts } from './ports.ts';

type OfNode = Extract<Effect, { kind: 'askHooks' }>;
type OfAgent = Extract<Extract<Effect, { kind: 'agent' }>['effect'], { kind: 'askHooks' }>;
type Answer = Omit<EventOf<'node.hooked'>, 'type' | 'seq' | 'at' | 'node' | 'when'>;

/** The questions to hooks about what no code outside does: before it, or after it about its outcome. */
export class HookQuestions {
  readonly #state: RunState;
  readonly #ports: Pick<EnginePorts, 'hooks' | 'clock'>;
  readonly #submit: (payload: EventPayload) => void;
  readonly #timers = new Set<() => void>();

  constructor(
    state: RunState,
    ports: Pick<EnginePorts, 'hooks' | 'clock'>,
    submit: (payload: EventPayload) => void,
  ) {
    this.#state = state;
    this.#ports = ports;
    this.#submit = submit;
  }

  /**
   * Always gives one answer, as an input; a hook that does not answer in the time that a call has keeps it from being
   * made, or changes nothing any more.
   */
  ask(effect: OfNode | OfAgent): void {
    const { key, tool, args, outcome } = effect;
    const node = 'agent' in effect ? nodeOfAgent(this.#state, effect.agent) : effect.node;
    const call: CallAsked = {
      ...{ node, key, tool: tool.name, spec: tool },
      args: isJsonObject(args) ? args : {},
    };
    const warn = (message: string): void =>
      this.#submit({ type: 'tool.logged', node: 'agent' in effect ? key : node, message });
    const { hooks } = this.#ports;
    const said = outcome === null ? askBefore(hooks, call) : askAfter(hooks, call, outcome, warn);
    void this.#inTime(said, outcome === null ? null : warn).then((answer) => {
      const when = outcome === null ? 'before' : 'after';
      this.#submit(
        'agent' in effect
          ? { type: 'call.hooked', agent: effect.agent, key, when, ...answer }
          : { type: 'node.hooked', node, when, ...answer },
      );
    });
  }

  /** Nobody waits for an answer any more. */
  close(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  #inTime(said: Promise<Answer>, warn: ((message: string) => void) | null): Promise<Answer> {
    const { nodeTimeoutMs } = this.#state.task.limits;
    const wallMs = Math.ceil(wallLeftMs(this.#state));
    const limitMs = Math.min(nodeTimeoutMs, wallMs);
    return new Promise((resolve) => {
      const cancel = this.#ports.clock.setTimer(limitMs, () => {
        const message = `${warn === null ? 'preToolCall' : 'postToolCall'} did not answer within ${limitMs} ms`;
        warn?.(message);
        resolve(warn === null ? { failure: lateFailure(message, wallMs < nodeTimeoutMs) } : {});
      });
      this.#timers.add(cancel);
      void said.then(resolve).finally(() => {
        cancel();
        this.#timers.delete(cancel);
      });
    });
  }
}

function lateFailure(message: string, isOutOfTime: boolean): Failure {
  return isOutOfTime
    ? { code: 'budget_refused', class: 'PERMANENT', message: `wallSeconds: ${message}` }
    : { code: 'policy_denied', class: 'POLICY', message, details: { hook: true } };
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
