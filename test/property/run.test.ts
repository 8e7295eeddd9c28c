/* Invariants I1–I3 and I5–I7 over random plans, in any order in which calls may end and writes become durable. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FlightLog } from '../../src/contracts/ports.ts';
import { replay } from '../../src/engine/replay.ts';
import type { EventOf, FlightEvent } from '../../src/flight/events.ts';
import { canonicalJson } from '../../src/kernel/canonical-json.ts';
import { ToolError } from '../../src/kernel/errors.ts';
import type { Json } from '../../src/kernel/json.ts';
import { evolve, foldEvents } from '../../src/run/evolve.ts';
import { hasEnded } from '../../src/run/node-state.ts';
import type { RunState } from '../../src/run/state.ts';
import { echoTool, only } from '../support/core.ts';
import { engineRun } from '../support/engine-run.ts';

type Behaviour = 'ok' | 'missing' | 'broken' | 'busy once' | 'undefined';

interface NodeShape {
  readonly deps: readonly number[];
  readonly refs: readonly number[];
  readonly tool: 'look' | 'put';
  readonly optional: boolean;
  readonly behaviour: Behaviour;
}

const shapes: fc.Arbitrary<NodeShape[]> = fc.integer({ min: 1, max: 10 }).chain((size) =>
  fc.tuple(
    ...Array.from({ length: size }, (_, index) =>
      fc.record({
        deps: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 3 }),
        refs: index === 0 ? fc.constant([]) : fc.uniqueArray(fc.nat(index - 1), { maxLength: 2 }),
        tool: fc.constantFrom('look' as const, 'put' as const),
        optional: fc.boolean(),
        behaviour: fc.constantFrom<Behaviour>(
          'ok',
          'ok',
          'ok',
          'ok',
          'missing',
          'broken',
          'busy once',
          'undefined',
        ),
      }),
    ),
  ),
);

const settings = fc.record({
  walk: fc.constantFrom('level' as const, 'eager' as const),
  concurrency: fc.integer({ min: 1, max: 4 }),
  toolCalls: fc.option(fc.integer({ min: 0, max: 14 }), { nil: undefined }),
});

function toPlan(nodes: readonly NodeShape[]): Json {
  return {
    nodes: nodes.map(({ deps, refs, tool, optional }, index) => ({
      id: `n${index}`,
      tool,
      args: { value: [index, ...refs.map((ref) => ({ $ref: `n${ref}` }))] },
      deps: deps.map((dep) => `n${dep}`),
      optional,
    })),
    output: `n${nodes.length - 1}`,
  };
}

/** A log whose writes become durable when the scheduler says so. */
class SlowLog implements FlightLog<FlightEvent> {
  durableSeq = -1;
  #last = -1;
  readonly #scheduler: fc.Scheduler;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  append(event: FlightEvent): void {
    this.#last = event.seq;
  }

  async whenDurable(seq: number): Promise<void> {
    while (this.durableSeq < seq) {
      const written = this.#last;
      await this.#scheduler.schedule(Promise.resolve());
      this.durableSeq = Math.max(this.durableSeq, written);
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

interface Observed {
  readonly state: RunState;
  readonly events: readonly FlightEvent[];
  readonly calls: readonly { tool: string; args: Json; node: string }[];
  readonly peak: number;
}

async function observe(
  nodes: readonly NodeShape[],
  {
    walk,
    concurrency,
    toolCalls,
  }: { walk: 'level' | 'eager'; concurrency: number; toolCalls: number | undefined },
  scheduler: fc.Scheduler,
): Promise<Observed> {
  const log = new SlowLog(scheduler);
  const calls: { tool: string; args: Json; node: string }[] = [];
  let running = 0;
  let peak = 0;
  let seen: readonly FlightEvent[] = [];
  const act =
    (name: 'look' | 'put') =>
    async (args: Json, context: { key: string }): Promise<unknown> => {
      const { value } = args as { value: [number, ...Json[]] };
      const index = value[0];
      const shape = nodes[index];
      if (shape === undefined) throw new Error('called for a node that the plan lacks');
      calls.push({ tool: name, args, node: `n${index}` });
      peak = Math.max(peak, ++running);
      checkI1(seen, log.durableSeq, `n${index}`, shape, walk);
      const attempt = Number(context.key.split('/')[1]);
      await scheduler.schedule(Promise.resolve(), `${name} n${index}`);
      running--;
      switch (shape.behaviour) {
        case 'ok':
          return { from: index };
        case 'missing':
          throw new ToolError('MISSING_INFO', 'not to be had');
        case 'broken':
          throw new Error('broken');
        case 'busy once':
          if (attempt === 1) throw new ToolError('TRANSIENT', 'busy');
          return { from: index, attempt };
        case 'undefined':
          return undefined;
      }
    };
  const { driver, events } = engineRun({
    tools: [
      echoTool('look', { run: act('look') }),
      echoTool('put', { effect: 'write', idempotent: true, run: act('put') }),
    ],
    task: {
      walk,
      concurrency,
      verify: { judge: 'off' },
      limits: { backoffMs: 0, attempts: 2 },
      budget: toolCalls === undefined ? {} : { toolCalls },
    },
    plan: toPlan(nodes),
    log,
  });
  seen = events;
  const ended = driver.run();
  void scheduler.waitFor(ended);
  return { state: await scheduler.waitFor(ended), events, calls, peak };
}

/** I1: what a start depends on is durable before the call begins. */
function checkI1(
  events: readonly FlightEvent[],
  durableSeq: number,
  id: string,
  shape: NodeShape,
  walk: 'level' | 'eager',
): void {
  const start = only(events, 'node.started').findLast(
    (event) => event.node === id,
  ) as EventOf<'node.started'>;
  const needed = new Set([...shape.deps, ...shape.refs].map((dep) => `n${dep}`));
  for (const event of events) {
    if (event.seq >= start.seq) break;
    const isAuthority = event.type === 'plan.accepted';
    const isEnding =
      (event.type === 'node.done' || event.type === 'node.failed' || event.type === 'node.skipped') &&
      needed.has(event.node);
    if (isAuthority || isEnding) expect(event.seq).toBeLessThanOrEqual(durableSeq);
  }
  if (walk === 'level') {
    const level = events.findLast((event) => event.type === 'level.started' && event.seq < start.seq);
    expect((level?.seq ?? 0) - 1).toBeLessThanOrEqual(durableSeq);
  }
  if (shape.tool === 'put') expect(start.seq).toBeLessThanOrEqual(durableSeq);
}

function property(
  check: (
    observed: Observed,
    nodes: readonly NodeShape[],
    concurrency: number,
    toolCalls: number | undefined,
  ) => void,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(shapes, settings, fc.scheduler(), async (nodes, chosen, scheduler) => {
      check(await observe(nodes, chosen, scheduler), nodes, chosen.concurrency, chosen.toolCalls);
    }),
    { numRuns: 150 },
  );
}

describe('a run of any plan, in any order of endings', () => {
  it('I1, I3: starts a node only after its dependencies are settled and durable, never more than concurrency, never unreserved', () =>
    property(({ events, peak, calls }, nodes, concurrency, toolCalls) => {
      expect(peak).toBeLessThanOrEqual(concurrency);
      if (toolCalls !== undefined) expect(calls.length).toBeLessThanOrEqual(toolCalls);
      const settled = new Set<string>();
      for (const event of events) {
        if (event.type === 'node.started') {
          const shape = nodes[Number(event.node.slice(1))];
          for (const dep of [...(shape?.deps ?? []), ...(shape?.refs ?? [])])
            expect(settled).toContain(`n${dep}`);
        }
        const hasSettled =
          event.type === 'node.done' ||
          ((event.type === 'node.failed' || event.type === 'node.skipped' || event.type === 'node.refused') &&
            nodes[Number(event.node.slice(1))]?.optional === true);
        if (hasSettled) settled.add(event.node);
      }
    }));

  it('I2: folding a log in two parts equals folding it at once', () =>
    property(({ events }) => {
      const whole = foldEvents(events);
      for (const cut of [1, 2, Math.floor(events.length / 2), events.length - 1]) {
        const inParts = foldEvents(events.slice(0, Math.max(1, cut)));
        for (const event of events.slice(Math.max(1, cut))) evolve(inParts, event);
        expect(inParts).toEqual(whole);
      }
    }));

  it('I5: replays without a divergence, and names one that was put in', () =>
    property(({ events }, nodes) => {
      expect(replay(events, true)).toEqual({
        events: events.length,
        isComplete: true,
        warnings: [],
        divergence: null,
      });
      const output = `n${nodes.length - 1}`;
      const at = events.findIndex((event) => event.type === 'node.done' && event.node === output);
      const recorded = events[at];
      if (recorded?.type !== 'node.done') return;
      const tampered = events.with(at, { ...recorded, value: 'another' });
      expect(replay(tampered).divergence).toMatchObject({ type: 'verdict.reached', field: 'digest' });
    }));

  it('I6: is never a success without its output, and leaves every node in a final state', () =>
    property(({ state }, nodes) => {
      const output = state.nodes.get(`n${nodes.length - 1}`);
      expect(state.finished).not.toBeNull();
      if (state.finished?.status === 'unverified') expect(output?.status).toBe('done');
      if (output?.status !== 'done') expect(['failed', 'budget']).toContain(state.finished?.status);
      if (state.plan !== null) for (const node of state.order) expect(hasEnded(node)).toBe(true);
    }));

  it('I7: calls only what the plan and its references determine', () =>
    property(({ state, calls }, nodes) => {
      for (const { tool, args, node } of calls) {
        const index = Number(node.slice(1));
        const shape = nodes[index];
        const refs = (shape?.refs ?? []).map((ref) => state.nodes.get(`n${ref}`)?.value ?? null);
        expect(tool).toBe(shape?.tool);
        expect(canonicalJson(args)).toBe(canonicalJson({ value: [index, ...refs] }));
      }
    }));
});
