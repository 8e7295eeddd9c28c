/* Every run ends, whatever its plan, tools, cache, repairs, revisions and budget: no loop, no node without an end. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Provider } from '../../src/contracts/ports.ts';
import type { Check } from '../../src/contracts/task.ts';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { MemoryFlightLog } from '../../src/flight/memory-log.ts';
import { OrchestratorError, ToolError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { hasEnded } from '../../src/run/node-state.ts';
import { answer, echoTool } from '../support/core.ts';
import { engineRun } from '../support/engine-run.ts';

const behaviours = ['ok', 'ok', 'ok', 'missing', 'misuse', 'busy', 'asks', 'asks', 'null'] as const;

interface Shape {
  readonly deps: readonly number[];
  readonly foreach: number | null;
  readonly optional: boolean;
  readonly cache: boolean;
  readonly value: number;
  readonly behaviour: (typeof behaviours)[number];
}

const shapes: fc.Arbitrary<Shape[]> = fc.integer({ min: 1, max: 8 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, index) =>
      fc.record({
        deps: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 2 }),
        foreach: index === 0 ? fc.constant(null) : fc.option(fc.nat(index - 1), { nil: null }),
        optional: fc.boolean(),
        cache: fc.boolean(),
        // Few values, so that equal calls occur.
        value: fc.nat(2),
        behaviour: fc.constantFrom(...behaviours),
      }),
    ),
  ),
);

const settings = fc.record({
  walk: fc.constantFrom('level' as const, 'eager' as const),
  concurrency: fc.integer({ min: 1, max: 3 }),
  judge: fc.constantFrom('off' as const, 'on' as const, 'required' as const),
  checks: fc.constantFrom<Check[]>([], [{ includes: 'found' }]),
  budget: fc.record(
    { toolCalls: fc.nat(12), llmCalls: fc.nat(5), tokens: fc.nat(20_000) },
    { requiredKeys: [] },
  ),
  roles: fc.subarray(['writer', 'critic', 'repairer', 'finalizer', 'replanner']),
  isSupplied: fc.boolean(),
});

function toPlan(nodes: readonly Shape[]): Json {
  return {
    nodes: nodes.map(({ deps, foreach, optional, cache, value, behaviour }, index) => ({
      id: `n${index}`,
      tool: `${behaviour}${cache ? '_cached' : ''}`,
      args: { value, ...(foreach === null ? {} : { item: { $item: '' } }) },
      deps: deps.map((dep) => `n${dep}`),
      optional,
      ...(foreach === null ? {} : { foreach: { $ref: `n${foreach}`, path: '/list' } }),
    })),
    output: `n${nodes.length - 1}`,
  };
}

function toolsOf(): ReturnType<typeof echoTool>[] {
  const input = { type: 'object', properties: { value: {}, item: {} } } as const;
  let calls = 0;
  const result = { list: [1, 1, 2], text: 'found' };
  const run: Record<(typeof behaviours)[number], Parameters<typeof echoTool>[1]> = {
    ok: { run: () => result },
    null: { run: () => null },
    missing: {
      run: () => {
        throw new ToolError('MISSING_INFO', 'not to be had');
      },
    },
    misuse: {
      run: () => {
        throw new ToolError('TOOL_MISUSE', 'not like this');
      },
    },
    busy: {
      run: () => {
        if (++calls % 2 === 1) throw new ToolError('TRANSIENT', 'busy');
        return result;
      },
    },
    asks: {
      // Asks twice and awaits one after the other.
      run: async (_, { ask }) => {
        const answers = [ask('writer', { prompt: 'a' }), ask('writer', { prompt: 'b' })];
        return { list: [await answers[0], await answers[1]], text: 'found' };
      },
    },
  };
  return Object.entries(run).flatMap(([name, options]) => [
    echoTool(name, { input, ...options }),
    echoTool(`${name}_cached`, { input, cache: true, ...options }),
  ]);
}

function providerOf(roles: readonly string[], plan: Json, draw: () => number): Provider {
  const replies: Record<string, () => string> = {
    planner: () => JSON.stringify(plan),
    replanner: () => (draw() < 0.5 ? JSON.stringify(plan) : 'no other plan'),
    writer: () => (draw() < 0.2 ? '' : 'found'),
    critic: () => (draw() < 0.5 ? '{"score": 0.2, "issues": ["bad"]}' : '{"score": 1, "issues": []}'),
    repairer: () => (draw() < 0.5 ? '{"value": 1}' : 'no'),
    finalizer: () => 'partial',
  };
  return {
    name: 'random',
    complete: ({ role }) => {
      const reply = role === 'planner' || roles.includes(role) ? replies[role] : undefined;
      return reply === undefined
        ? Promise.reject(new OrchestratorError('model_unscripted', `nobody scripted ${role}`))
        : Promise.resolve(answer(reply()));
    },
  };
}

/** A log that is full long after any of these runs should have ended: a loop of decisions ends with it. */
class ShortLog extends MemoryFlightLog {
  override append(event: FlightEvent): void {
    if (event.seq > 3000) throw new Error('this run does not end');
    super.append(event);
  }
}

describe('every run', () => {
  it('ends, with an end for each node, a success only with its output, and a replay without a divergence', () =>
    fc.assert(
      fc.asyncProperty(
        shapes,
        settings,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (nodes, chosen, draws) => {
          const draw = (): number => draws.next().value as number;
          const { walk, concurrency, judge, checks, budget, roles, isSupplied } = chosen;
          const plan = toPlan(nodes);
          const { driver, events } = engineRun({
            tools: toolsOf(),
            task: {
              walk,
              concurrency,
              budget,
              verify: { judge, checks },
              limits: { backoffMs: 0, attempts: 2, maxOutputTokens: 1000, foreachItems: 3 },
            },
            provider: providerOf(roles, plan, draw),
            ...(isSupplied ? { plan } : {}),
            log: new ShortLog(),
          });
          const state = await driver.run();
          expect(state.finished).not.toBeNull();
          for (const node of state.order) expect([node.id, hasEnded(node)]).toEqual([node.id, true]);
          const { status } = state.finished ?? {};
          if (status === 'verified' || status === 'unverified') {
            const output = state.nodes.get(`n${nodes.length - 1}`);
            expect(output?.status).toBe('done');
            expect(output?.value).not.toBeUndefined();
          }
          expect(replay(events, true).divergence).toBeNull();
          const { settled, limits } = state.ledger;
          expect(settled.toolCalls).toBeLessThanOrEqual(limits.toolCalls);
          expect(settled.llmCalls).toBeLessThanOrEqual(limits.llmCalls);
        },
      ),
      { numRuns: 300 },
    ));
});
