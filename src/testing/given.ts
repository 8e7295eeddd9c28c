import type { TaskInput } from '../contracts/task.ts';
import { taskSchema } from '../contracts/task.ts';
import type { Tool } from '../contracts/tool.ts';
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { decide } from '../run/decide.ts';
import type { Effect } from '../run/effects.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import { RULES_VERSION } from '../run/rules.ts';
import type { RunState } from '../run/state.ts';

/** What a scenario starts from. */
export interface Seed {
  readonly tools: readonly Tool[];
  /** Settings beside name, goal, tools and provider, which have values of their own. */
  readonly task?: Partial<TaskInput>;
  /** A supplied plan; without one the planner is asked. */
  readonly plan?: Json;
  readonly withheld?: readonly string[];
  /** The run has a memory to recall from. */
  readonly hasMemory?: boolean;
}

/** A run in which nothing is real: inputs are given, decisions are read. Time stands still but for `after`. */
export class Scenario {
  readonly state: RunState;
  readonly events: FlightEvent[];
  /** What was decided since the last `when`, in order. */
  decided: EventPayload[] = [];
  /** The effects of those decisions. */
  effects: Effect[] = [];
  #now = 1_000_000;

  constructor(seed: Seed) {
    const tools = seed.tools.map((tool) => tool.spec);
    const task = taskSchema.parse({
      name: 'scenario',
      goal: 'Reach the goal.',
      tools: ['given'],
      provider: 'given',
      ...seed.task,
    });
    const started: FlightEvent = {
      ...this.#place(0),
      type: 'run.started',
      runId: 'scenario',
      task,
      goal: task.goal,
      rules: RULES_VERSION,
      workspace: '/',
      ...(seed.hasMemory === true ? { memory: true } : {}),
      ...(seed.plan === undefined ? {} : { plan: JSON.stringify(seed.plan) }),
    };
    this.state = foldEvents([started]);
    this.events = [started];
    const withheld = seed.withheld ?? [];
    const hash = hashJson({ tools, withheld } as unknown as Json);
    this.#fold({ type: 'catalogue.published', hash, tools, withheld });
    this.#settle();
  }

  /** Folds the inputs one by one, each followed by everything that is then owed. */
  when(...inputs: readonly EventPayload[]): this {
    this.decided = [];
    this.effects = [];
    for (const input of inputs) {
      this.#fold(input);
      this.#settle();
    }
    return this;
  }

  /** Moves time on; it reaches the run with the next event. */
  after(elapsedMs: number): this {
    this.#now += elapsedMs;
    return this;
  }

  /** Hands what was decided since the last `when` to a test. */
  then(check: (decided: readonly EventPayload[], state: RunState) => void): this {
    check(this.decided, this.state);
    return this;
  }

  #settle(): void {
    for (let owed = decide(this.state); owed !== null; owed = decide(this.state)) {
      this.decided.push(owed.event);
      if (owed.effect !== undefined) this.effects.push(owed.effect);
      this.#fold(owed.event);
    }
  }

  #fold(payload: EventPayload): void {
    const event = { ...payload, ...this.#place(this.events.length) } as FlightEvent;
    evolve(this.state, event);
    this.events.push(event);
  }

  #place(seq: number): { seq: number; at: number } {
    return { seq, at: this.#now };
  }
}

/** A run from its first event on, with everything decided that is owed before the first input. */
export function given(seed: Seed): Scenario {
  return new Scenario(seed);
}
