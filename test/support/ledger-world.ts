/*
 * A run that is drawn from a seed, with whatever can happen to its calls: answers of any usage, failures, fresh keys,
 * questions of tools, crashes, a person who cancels. Nothing is real and time stands still but where the draw moves it.
 */
import { ERROR_CODES, type ErrorCode } from '../../src/kernel/errors.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import type { ModelAnswer, StopReason, Usage } from '../../src/contracts/model.ts';
import type { TaskInput } from '../../src/contracts/task.ts';
import type { EventPayload } from '../../src/flight/events.ts';
import type { Json } from '../../src/kernel/json.ts';
import type { Effect } from '../../src/run/effects.ts';
import { RULES_VERSION } from '../../src/run/rules.ts';
import { isOver } from '../../src/run/state.ts';
import { given, type Scenario } from '../../src/testing.ts';
import { askingTool, done, echoTool, node, plan } from './core.ts';
import { seededRandom } from './seeded-random.ts';

/** More inputs than any of these runs should need. */
const MOST_INPUTS = 400;

const TOOLS = [
  echoTool('look'),
  echoTool('find', {
    input: {
      ...{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      additionalProperties: false,
    },
  }),
  echoTool('put', { effect: 'write', idempotent: true }),
  askingTool,
];

const MODEL_FAILURES: readonly ErrorCode[] = [
  ...(['model_overloaded', 'model_unreachable', 'model_unauthorized', 'model_quota'] as const),
  ...(['model_bad_request', 'model_malformed', 'timeout', 'aborted'] as const),
];
const TOOL_FAILURES: readonly ErrorCode[] = [
  'tool_transient',
  'tool_failed',
  'missing_info',
  'tool_misuse',
  'timeout',
];

/** A run from a seed, at its end. */
export function runLedgerWorld(seed: number): Scenario {
  const world = new LedgerWorld(seed);
  world.run();
  return world.scenario;
}

class LedgerWorld {
  readonly scenario: Scenario;
  readonly #random: () => number;
  readonly #plan: Json;
  readonly #asked = new Map<string, number>();
  #underWay: Effect[];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#plan = this.#drawPlan();
    const isPriced = this.#chance(0.7);
    const provider = this.#among<TaskInput['provider']>([
      'first',
      [{ name: 'first' }, { name: 'second' }],
      [{ name: 'first', credentialCommand: 'print-key' }, { name: 'second' }],
    ]);
    this.scenario = given({
      tools: TOOLS,
      task: {
        provider,
        budget: this.#drawBudget(isPriced),
        prices: isPriced ? { '': { inputPerMTok: 3, outputPerMTok: 15 } } : {},
        concurrency: this.#among([1, 2, 5]),
        walk: this.#among(['level', 'eager']),
        verify: {
          judge: this.#among(['off', 'on', 'required']),
          checks: this.#among([[], [{ minLength: 0 }], [{ minLength: 1 }]]),
        },
        limits: {
          ...{ attempts: this.#among([1, 2, 3]), planRounds: 2, maxOutputTokens: this.#among([300, 4096]) },
        },
      },
      ...(this.#chance(0.3) ? { plan: this.#plan } : {}),
    });
    this.#underWay = [...this.scenario.effects];
  }

  /** Feeds inputs until the run is over; throws where it does not end. */
  run(): void {
    for (let inputs = 0; !isOver(this.scenario.state); inputs++) {
      if (inputs > MOST_INPUTS) throw new Error('this run does not end');
      if (this.#chance(0.3)) this.scenario.after(Math.floor(this.#random() * 5000));
      this.scenario.when(this.#chance(0.02) ? this.#disturb() : this.#nextInput());
      this.#underWay.push(...this.scenario.effects);
    }
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  #among<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }

  #drawBudget(isPriced: boolean): TaskInput['budget'] {
    const limit = (bound: number): number | undefined => (this.#chance(0.7) ? this.#below(bound) : undefined);
    const limits = {
      tokens: limit(40_000),
      toolCalls: limit(12),
      llmCalls: limit(12),
      wallSeconds: limit(200),
      costUsd: isPriced ? limit(1000) : undefined,
      finalReserve: this.#random() * 0.5,
    };
    const costUsd = limits.costUsd === undefined ? undefined : limits.costUsd / 1000;
    return Object.fromEntries(
      Object.entries({ ...limits, costUsd }).filter(([, amount]) => amount !== undefined),
    );
  }

  #drawPlan(): Json {
    const count = 1 + this.#below(6);
    return plan(
      ...Array.from({ length: count }, (_, index) => {
        const tool = this.#among(['look', 'find', 'put', 'write', 'write']);
        const deps = Array.from({ length: index }, (_each, dep) => `n${dep}`).filter(() => this.#chance(0.4));
        // A reference to whatever came before may be no text: a call to be repaired.
        const [first] = deps;
        const city = first === undefined ? 'Lima' : { $ref: first };
        return node(`n${index}`, {
          tool,
          args: tool === 'find' ? { city } : {},
          deps,
          optional: this.#chance(0.2),
        });
      }),
    );
  }

  /** A crash, after which another process goes on, or a person who cancels. */
  #disturb(): EventPayload {
    if (this.#chance(0.3)) return { type: 'cancel.requested', reason: 'enough' };
    this.#underWay = [];
    this.#asked.clear();
    return { type: 'run.resumed', rules: RULES_VERSION };
  }

  /** What becomes of one of the calls under way; time alone where there is none. */
  #nextInput(): EventPayload {
    const index = this.#below(this.#underWay.length);
    const effect = this.#underWay[index];
    if (effect === undefined) {
      this.scenario.after(60_000);
      return { type: 'timer.fired' };
    }
    const asks = effect.kind === 'callTool' ? this.#askOf(effect) : null;
    if (asks !== null) return asks;
    this.#underWay.splice(index, 1);
    switch (effect.kind) {
      case 'callTool':
        return this.#endTool(effect);
      case 'callModel':
        return this.#endModel(effect);
      case 'refreshCredential': {
        const { key, provider } = effect;
        const failure = this.#chance(0.3) ? { failure: failureOf('model_unauthorized') } : {};
        return { type: 'credential.refreshed', key, provider, ...failure };
      }
      case 'callCheck':
      case 'recall':
      case 'agent':
      case 'askHooks':
        throw new Error(`there is no ${effect.kind} in this world`);
    }
  }

  /** A tool asks up to three times, and may end before it is answered. */
  #askOf({ tool, node: id, attempt }: Extract<Effect, { kind: 'callTool' }>): EventPayload | null {
    const asked = this.#asked.get(`${id}/${attempt}`) ?? 0;
    if (tool !== 'write' || asked >= 3 || !this.#chance(0.7)) return null;
    this.#asked.set(`${id}/${attempt}`, asked + 1);
    const maxOutputTokens = this.#chance(0.3) ? { maxOutputTokens: 50 } : {};
    const request = { prompt: 'p'.repeat(this.#below(3000)), ...maxOutputTokens };
    return {
      type: 'ask.received',
      key: `${id}/${attempt}/${asked + 1}`,
      node: id,
      attempt,
      role: 'writer',
      request,
    };
  }

  #endTool({ node: id, attempt }: Extract<Effect, { kind: 'callTool' }>): EventPayload {
    if (this.#chance(0.75)) return done(id, this.#among<Json>(['text', 7, '']), attempt);
    const failure = failureOf(this.#among(TOOL_FAILURES));
    return { type: 'attempt.failed', node: id, attempt, failure, draw: this.#random() };
  }

  #endModel({ key, request }: Extract<Effect, { kind: 'callModel' }>): EventPayload {
    const reserved = this.scenario.state.runningCalls.get(key)?.reserved.tokens ?? 0;
    const usage = this.#drawUsage(reserved);
    if (this.#chance(0.7))
      return { type: 'model.answered', key, answer: this.#drawAnswer(request.role, usage) };
    const failure = failureOf(this.#among(MODEL_FAILURES));
    const known = this.#chance(0.4) ? { usage } : {};
    return { type: 'model.failed', key, failure, ...known, draw: this.#random() };
  }

  /** Mostly less than was reserved, now and then more. */
  #drawUsage(reserved: number): Usage {
    const total = Math.floor(reserved * (this.#chance(0.03) ? 1 + this.#random() : this.#random()));
    const outputTokens = this.#below(total + 1);
    return { inputTokens: total - outputTokens, outputTokens };
  }

  #drawAnswer(role: string, usage: Usage): ModelAnswer {
    const text = this.#chance(0.2) ? this.#among(['', 'no JSON', '{"issues":[]}']) : this.#rightText(role);
    const stop = this.#chance(0.1) ? this.#among<StopReason>(['length', 'refusal']) : 'stop';
    return { text, stop, usage, model: 'm' };
  }

  #rightText(role: string): string {
    switch (role) {
      case 'planner':
        return JSON.stringify(this.#plan);
      case 'replanner':
        return JSON.stringify(plan(node(`r${this.#below(100)}`, { tool: 'look' })));
      case 'critic':
        return JSON.stringify({ score: this.#random(), issues: ['an issue'] });
      case 'repairer':
        return '{"city":"Lima"}';
      default:
        return 'some text';
    }
  }
}

function failureOf(code: ErrorCode): Failure {
  return { code, class: ERROR_CODES[code].retry, message: code };
}
