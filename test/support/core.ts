import { z } from 'zod';
import type { Check, TaskInput } from '../../src/contracts/task.ts';
import type { ModelAnswer } from '../../src/contracts/model.ts';
import type { Tool, ToolContext } from '../../src/contracts/tool.ts';
import {
  type EventOf,
  type EventPayload,
  type EventType,
  type FlightEvent,
} from '../../src/flight/events.ts';
import type { Json } from '../../src/kernel/json.ts';
import { defineTool } from '../../src/tools/define-tool.ts';

/** A tool that takes any value and gives it back; `run` may do otherwise. */
export function echoTool(
  name = 'echo',
  options: Partial<Tool['spec']> & { run?: (args: Json, context: ToolContext) => unknown } = {},
): Tool {
  const { run, input, output, ...spec } = options;
  return defineTool({
    name,
    description: `Gives back its argument (${name}).`,
    input: input ?? { type: 'object', properties: { value: {} }, additionalProperties: false },
    ...(output === undefined ? {} : { output }),
    costHint: 1,
    effect: 'read',
    ...spec,
    run: run ?? ((args) => (args as { value?: Json }).value ?? null),
  });
}

/** A tool that asks a model and gives back its answer. */
export const askingTool: Tool = defineTool({
  name: 'write',
  description: 'Asks the writer.',
  input: z.strictObject({ about: z.json().optional() }),
  costHint: 2,
  effect: 'read',
  run: (args, context) => context.ask('writer', { prompt: JSON.stringify(args.about ?? null) }),
});

/** A node of a plan. */
export function node(
  id: string,
  options: { tool?: string; args?: Json; deps?: string[]; optional?: boolean; foreach?: Json } = {},
): Json {
  const { tool = 'echo', args = {}, ...rest } = options;
  return { id, tool, args, ...rest };
}

/** A plan of nodes whose last is the output. */
export function plan(...nodes: Json[]): Json {
  const last = nodes.at(-1) as { id: string };
  return { nodes, output: last.id };
}

/** The text of an answer as a complete one. */
export function answer(text: string, tokens = 10): ModelAnswer {
  return { text, stop: 'stop', model: 'm', usage: { inputTokens: tokens, outputTokens: tokens } };
}

/** The input that a node's attempt ended well. */
export function done(id: string, value: Json, attempt = 1): EventPayload {
  return { type: 'node.done', node: id, attempt, value };
}

/** The input that a node's attempt failed. */
export function failed(
  id: string,
  failure: EventOf<'attempt.failed'>['failure'],
  attempt = 1,
  draw = 0.5,
): EventPayload {
  return { type: 'attempt.failed', node: id, attempt, failure, draw };
}

/** The types of events, for a look at their order. */
export function types(events: readonly (EventPayload | FlightEvent)[]): EventType[] {
  return events.map((event) => event.type);
}

/** The events of one type. */
export function only<T extends EventType>(
  events: readonly (EventPayload | FlightEvent)[],
  type: T,
): Omit<EventOf<T>, 'seq' | 'at'>[] {
  return events.filter((event) => event.type === type) as unknown as Omit<EventOf<T>, 'seq' | 'at'>[];
}

/** A task of one's own around these settings. */
export function task(settings: Partial<TaskInput> & { checks?: Check[] } = {}): Partial<TaskInput> {
  const { checks, ...rest } = settings;
  return { verify: { judge: 'off', ...(checks === undefined ? {} : { checks }) }, ...rest };
}
