/* Runs of plans with nodes that no code outside does, with hooks around them. */
import { expect } from 'vitest';
import { findBroken } from '../../src/compose/verify-log.ts';
import type { Hooks } from '../../src/contracts/hooks.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate, replayRun, type RunOptions } from '../../src/index.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { askHuman } from '../../src/tools/builtin/ask-human.ts';
import { buildSpans } from '../../src/tracer/spans.ts';
import { readRun } from '../../src/views/read-run.ts';
import { calling, inTurn, speaking } from './agent-run.ts';
import { echoTool, node, plan } from './core.ts';

/** A question to a person. */
export const ASK = node('ask', { tool: 'ask_human', args: { question: 'Which city?' } });
/** Work for an agent. */
export const HAND = node('hand', { tool: 'delegate', args: { task: 'Look.' } });
/** A node that gives back the result of another one. */
export const go = (from: string): Json => node('go', { args: { value: { $ref: from } } });

const ANN: Partial<RunOptions> = {
  approve: () => Promise.resolve({ decision: 'done', by: 'ann', value: 'Oslo' }),
};

/** A run of these nodes, in which a person answers "Oslo" and an agent "Looked.". */
export function given(
  nodes: readonly Json[],
  more: Partial<RunOptions> = {},
): RunOptions & { store: MemoryRunStore } {
  const provider = speaking({
    planner: () => JSON.stringify(plan(...nodes)),
    agent: inTurn(calling({ name: 'echo', args: { value: 'x' } }), 'Looked.'),
  });
  return {
    task: { name: 'hooked', goal: 'Go.', verify: { judge: 'off' }, agent: {}, limits: { replans: 0 } },
    ...{ tools: [askHuman, echoTool()], provider, runId: 'r', workspace: '/', ...ANN, ...more },
    store: new MemoryRunStore(),
  };
}

/** Such a run with hooks, to its end. */
export async function runHooked(nodes: readonly Json[], hooks: Hooks, more: Partial<RunOptions> = {}) {
  const options = given(nodes, { hooks, ...more });
  const result = await orchestrate(options);
  const events = await options.store.read('r');
  await holds(options.store, events);
  return { result, events };
}

/** What is true of every run, however hooks answered. */
export async function holds(store: MemoryRunStore, events: readonly FlightEvent[]): Promise<void> {
  expect(await replayRun('r', { store, strict: true })).toMatchObject({ divergence: null, warnings: [] });
  expect(findBroken(events)).toBeNull();
  expect(buildSpans(events).filter(({ endMs, startMs }) => !(endMs >= startMs))).toEqual([]);
  const reading = readRun(events);
  expect(reading.ledger.reserved.toolCalls).toBe(0);
  expect([...reading.nodes.values()].filter(({ status }) => status === 'hooking')).toEqual([]);
}

/** Hooks that say this of one tool, and what they were told. */
export function listening(
  tool: string,
  before: JsonObject | undefined,
  after?: Json,
): { hooks: Hooks; told: Json[] } {
  const told: Json[] = [];
  return {
    told,
    hooks: {
      preToolCall: (call) => {
        if (call.tool.name !== tool) return undefined;
        told.push(['before', call.node, call.key, call.args]);
        return before as { args: JsonObject } | undefined;
      },
      postToolCall: (call, outcome) => {
        if (call.tool.name !== tool) return undefined;
        told.push(['after', call.node, call.key, outcome.ok ? outcome.value : outcome.failure.message]);
        return after === undefined ? undefined : { value: after };
      },
    },
  };
}

/** The options of a run without those that another start of it does not take. */
export function without<T extends object, K extends keyof T>(options: T, ...keys: readonly K[]): Omit<T, K> {
  const kept = Object.entries(options).filter(([key]) => !keys.includes(key as K));
  return Object.fromEntries(kept) as Omit<T, K>;
}
