import type { Failure } from '../../src/contracts/failure.ts';
import type { PlanNode } from '../../src/contracts/plan.ts';
import { type TaskInput, taskSchema } from '../../src/contracts/task.ts';
import { type EventOf, type EventType, type FlightEvent, parseEvent } from '../../src/flight/events.ts';
import { sha256 } from '../../src/kernel/hash.ts';
import type { Json } from '../../src/kernel/json.ts';
import { attemptKey } from '../../src/run/effect-key.ts';

/** Epoch milliseconds at which every log built here begins: 2026-11-30T07:00:00Z. */
export const LOG_START_MS = 1_796_022_000_000;

type Fields<T extends EventType> = Omit<EventOf<T>, 'seq' | 'at' | 'type'>;

interface CallShape {
  readonly ms?: number;
  readonly model?: string;
  readonly text?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly node?: string;
}

/** Writes a flight log by hand: each call adds events, `wait` lets time pass; `build` checks them by their schemas. */
export class FlightBuilder {
  readonly #events: FlightEvent[] = [];
  #nowMs = LOG_START_MS;

  /** Lets so many milliseconds pass. */
  wait(ms: number): this {
    this.#nowMs += ms;
    return this;
  }

  /** Adds an event at the present time. */
  add<T extends EventType>(type: T, fields: Fields<T>): this {
    this.#events.push({
      seq: this.#events.length,
      at: this.#nowMs,
      type,
      ...fields,
    } as unknown as FlightEvent);
    return this;
  }

  /** Starts the run. */
  start(task: Partial<TaskInput> = {}, fields: Partial<Fields<'run.started'>> = {}): this {
    const whole = taskSchema.parse({
      ...{ name: 'city-compare', goal: 'Compare the cities', tools: ['./tools.ts'], provider: 'mock' },
      ...task,
    }) as Fields<'run.started'>['task'];
    const runId = '20261130-070000-000-aaaa';
    return this.add('run.started', {
      ...{ runId, task: whole, goal: whole.goal, rules: 1, workspace: '/tasks' },
      ...fields,
    });
  }

  /** Publishes a catalogue of tools by their names. */
  catalogue(...names: string[]): this {
    const tools = names.map((name) => ({
      ...{ name, description: `The tool ${name}.`, input: true, costHint: 1, effect: 'read' as const },
    }));
    return this.add('catalogue.published', { hash: sha256(names.join()), tools, withheld: [] });
  }

  /** Accepts a plan; `key` names the model call that it came from. */
  plan(
    nodes: readonly (Pick<PlanNode, 'id' | 'tool'> & Partial<PlanNode>)[],
    output: string,
    fields: Partial<Fields<'plan.accepted'>> = {},
  ): this {
    const version = fields.version ?? 1;
    const whole = nodes.map((node) => ({ args: {}, deps: [], ...node }));
    const estimate = {
      nodes: nodes.length,
      toolCalls: nodes.length,
      weight: nodes.length,
      levels: 1,
      criticalWeight: 1,
    };
    return this.add('plan.accepted', {
      ...{ version, hash: sha256(`plan ${version}`), plan: { nodes: whole, output } },
      ...{ kept: [], superseded: [], warnings: [], estimate },
      ...fields,
    });
  }

  /** Asks a model. */
  request(key: string, role: string, shape: CallShape = {}): this {
    return this.add('model.requested', {
      ...{
        key,
        role,
        provider: 'mock',
        link: 0,
        model: shape.model ?? 'mock-1',
        request: sha256(key),
        timeoutMs: 60_000,
      },
      ...(shape.node === undefined ? {} : { node: shape.node }),
      reserved: { tokens: 1000, llmCalls: 1 },
    });
  }

  /** A model answers. */
  answer(key: string, shape: CallShape = {}): this {
    const { text = 'an answer', inputTokens = 100, outputTokens = 10, model = 'mock-1' } = shape;
    return this.add('model.answered', {
      key,
      answer: { text, stop: 'stop', usage: { inputTokens, outputTokens }, model, provider: 'mock' },
    });
  }

  /** A model call from its request to its answer, `ms` later. */
  call(key: string, role: string, shape: CallShape = {}): this {
    return this.request(key, role, shape)
      .wait(shape.ms ?? 10)
      .answer(key, shape);
  }

  /** A tool asks a model: the key of the question is that of the attempt with its ordinal. */
  ask(node: string, attempt: number, ordinal: number, role: string, prompt = 'a question'): this {
    const key = `${attemptKey(node, attempt)}/${ordinal}`;
    return this.add('ask.received', {
      key,
      node,
      attempt,
      role,
      request: { instructions: 'Be brief.', prompt },
    });
  }

  /** An attempt of a node starts. */
  nodeStart(node: string, attempt = 1): this {
    return this.add('node.started', { node, attempt, args: sha256(`args of ${node}`), timeoutMs: 60_000 });
  }

  /** A node is done. */
  nodeDone(node: string, value: Json = `result of ${node}`, attempt = 1): this {
    return this.add('node.done', { node, attempt, value });
  }

  /** An attempt of a node from its start to its end, `ms` later. */
  nodeRun(node: string, ms: number, value?: Json, attempt = 1): this {
    return this.nodeStart(node, attempt).wait(ms).nodeDone(node, value, attempt);
  }

  /** An attempt fails. */
  attemptFailed(node: string, failure: Failure, attempt = 1): this {
    return this.add('attempt.failed', { node, attempt, failure });
  }

  /** The critic concludes. */
  verdict(node: string, outcome: 'pass' | 'fail' | 'indeterminate', reasons: string[] = []): this {
    return this.add('verdict.reached', {
      ...{ node, digest: sha256(node) },
      verdict: {
        ...{ outcome, tier: 'judge', score: outcome === 'pass' ? 0.9 : 0.3, reasons },
        checks: [{ name: 'includes Paris', ok: outcome === 'pass', message: 'looked for Paris' }],
      },
    });
  }

  /** The run ends. */
  finish(
    status: Fields<'run.finished'>['status'],
    reason: string,
    fields: Partial<Fields<'run.finished'>> = {},
  ): this {
    return this.add('run.finished', { status, reason, ...fields });
  }

  /** The log; throws where an event does not hold to its schema. */
  build(): FlightEvent[] {
    return this.#events.map((event) => parseEvent(event));
  }
}
