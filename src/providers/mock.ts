import { setTimeout as delay } from 'node:timers/promises';
import type { ModelAnswer, ModelRequest, StopReason, ToolCall, Usage } from '../contracts/model.ts';
import type { Provider, ProviderContext } from '../contracts/ports.ts';
import { readSection } from '../contracts/section.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { estimateUsage } from './estimate-usage.ts';

/** What a role of a mock answers: its text, or more of an answer. Usage is estimated where none is given. */
export type MockReply =
  | string
  | {
      readonly text?: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly stop?: StopReason;
      readonly usage?: Usage;
    };

/** What a role of a mock is given beside the request. */
export interface MockKit {
  /** The value of the last section of that name in the request; undefined where there is none. */
  readonly section: (name: string) => Json | undefined;
  /** The key of the effect that asks, such as `plan/1`: tells a second question from a first. */
  readonly key: string;
}

/** How a role answers. It must depend on nothing but its arguments, so that runs can be resumed and compared. */
export type MockRole = (request: ModelRequest, kit: MockKit) => MockReply | Promise<MockReply>;

/** A mock provider as its author writes it. */
export interface MockDefinition {
  readonly name?: string;
  readonly roles: Readonly<Record<string, MockRole>>;
  /** How long an answer takes; 0 where not given. */
  readonly latencyMs?: number;
}

const FREE = { inputPerMTok: 0, outputPerMTok: 0 };

/**
 * A provider whose answers are computed by functions, one per role; free of charge. A role that it lacks fails with
 * `model_unscripted`, a role that throws with `module_failed`.
 */
export function defineMock({ name = 'mock', roles, latencyMs = 0 }: MockDefinition): Provider {
  return {
    name,
    isStandIn: true,
    priceOf: () => FREE,
    async complete(request, context) {
      context.signal.throwIfAborted();
      const role = findRole(roles, request.role, name);
      if (latencyMs > 0) await delayUnlessAborted(latencyMs, context.signal);
      const reply = await askRole(role, request, context, name);
      context.signal.throwIfAborted();
      const answer = toAnswer(request, reply, name);
      if (answer.text !== '') context.onDelta?.(answer.text);
      return answer;
    },
  };
}

function findRole(roles: MockDefinition['roles'], role: string, name: string): MockRole {
  const known = Object.hasOwn(roles, role) ? roles[role] : undefined;
  if (known !== undefined) return known;
  const names = Object.keys(roles);
  throw new OrchestratorError(
    'model_unscripted',
    `provider "${name}" has no script for the role "${role}" (it has: ${names.join(', ') || 'none'})`,
    { details: { role, roles: names } },
  );
}

async function askRole(
  role: MockRole,
  request: ModelRequest,
  { key }: ProviderContext,
  name: string,
): Promise<MockReply> {
  let reply: unknown;
  try {
    reply = await role(request, { key, section: (section) => readSection(request, section) });
  } catch (error) {
    if (error instanceof OrchestratorError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new OrchestratorError(
      'module_failed',
      `role "${request.role}" of provider "${name}" threw: ${message}`,
      { details: { role: request.role }, hint: 'Correct the script of the mock provider.', cause: error },
    );
  }
  if (typeof reply === 'string' || (typeof reply === 'object' && reply !== null)) return reply;
  throw new OrchestratorError(
    'module_failed',
    `role "${request.role}" of provider "${name}" returned ${String(reply)}, which is no answer`,
    { details: { role: request.role }, hint: 'Return a text, or an object with "text" or "toolCalls".' },
  );
}

async function delayUnlessAborted(delayMs: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(delayMs, undefined, { signal });
  } catch {
    signal.throwIfAborted();
  }
}

function toAnswer(request: ModelRequest, reply: MockReply, name: string): ModelAnswer {
  const { text = '', toolCalls, stop, usage } = typeof reply === 'string' ? { text: reply } : reply;
  return {
    text,
    ...(toolCalls === undefined ? {} : { toolCalls }),
    stop: stop ?? (toolCalls === undefined || toolCalls.length === 0 ? 'stop' : 'tool_calls'),
    usage: usage ?? estimateUsage(request, text, toolCalls ?? []),
    model: request.model || name,
    provider: name,
  };
}
