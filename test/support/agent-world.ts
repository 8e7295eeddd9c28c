/* A world for agents in which nothing is real: the model, tools and people are functions, effects run at once. */
import type {
  AgentDecision,
  AgentEffect,
  AgentEnvironment,
  AgentInput,
} from '../../src/agent/agent-decision.ts';
import type { AgentAsk, AgentQuestion } from '../../src/agent/agent-decision.ts';
import type { AgentState, AskPurpose } from '../../src/agent/agent-state.ts';
import type { CallOutcome } from '../../src/agent/result-text.ts';
import { thresholdEngine } from '../../src/agent/context-engine.ts';
import {
  type AgentCrew,
  decideCrew,
  evolveCrew,
  nextAgentWake,
  resumeCrew,
  slotsOfCrew,
} from '../../src/agent/crew.ts';
import { estimateInputTokens } from '../../src/budget/estimate-tokens.ts';
import {
  agentGrantSchema,
  type AgentGrant,
  agentSettingsSchema,
  briefingSchema,
} from '../../src/contracts/agent.ts';
import type { AgentSettings } from '../../src/contracts/agent.ts';
import type { AgentEvent, AgentEventOf, AgentEventType } from '../../src/contracts/agent-events.ts';
import type { Failure } from '../../src/contracts/failure.ts';
import type { ModelAnswer } from '../../src/contracts/model.ts';
import type { ToolEffect, ToolSpec } from '../../src/contracts/tool.ts';
import type { Json } from '../../src/kernel/json.ts';
import { answer } from './core.ts';

/** A tool that takes anything. */
export function anyTool(name: string, effect: ToolEffect = 'read', more: Partial<ToolSpec> = {}): ToolSpec {
  return { name, description: `The tool ${name}.`, input: { type: 'object' }, costHint: 1, effect, ...more };
}

/** An answer that calls tools by the API. */
export function calling(...calls: { name: string; args?: Json; id?: string }[]): ModelAnswer {
  return {
    ...answer(''),
    stop: 'tool_calls',
    toolCalls: calls.map(({ name, args = {}, id }, index) => ({ id: id ?? `c${index}`, name, args })),
  };
}

/** What a call is told that fails. */
export function failing(message: string, failureClass: Failure['class'] = 'PERMANENT'): { failure: Failure } {
  const code = failureClass === 'TRANSIENT' ? 'tool_transient' : 'tool_failed';
  return { failure: { code, class: failureClass, message } };
}

interface Refusal {
  readonly isRefused: true;
}

/** A reply of the model: an answer, a text, or a failure after all tries. */
export type Reply = ModelAnswer | string | { readonly failure: Failure } | Refusal;

/** What stands behind the agents. */
export interface World {
  readonly tools?: readonly ToolSpec[];
  readonly grant?: Partial<AgentGrant>;
  readonly settings?: Partial<AgentSettings>;
  readonly task?: string;
  readonly started?: Partial<AgentEventOf<'agent.started'>>;
  readonly environment?: Partial<AgentEnvironment>;
  /** By purpose; `think` in turn where it is a list, and then for each agent by itself. */
  readonly model: {
    readonly think: readonly Reply[] | ((ask: AgentAsk, agent: AgentState) => Reply);
  } & { readonly [P in Exclude<AskPurpose, 'think'>]?: (ask: AgentAsk, agent: AgentState) => Reply };
  readonly call?: (tool: string, args: Json, count: number) => Json | { readonly failure: Failure };
  readonly person?: (
    question: AgentQuestion,
  ) => Omit<Extract<AgentInput, { type: 'approval.decided' }>, 'type' | 'call'>;
  readonly recall?: (query: string) => string;
  /** What hooks say of the calls that no code outside makes; without it there are none. */
  readonly hook?: (
    ...asked: [when: 'before' | 'after', tool: string, args: Json, outcome: CallOutcome | null]
  ) => Partial<Pick<AgentEventOf<'call.hooked'>, 'args' | 'failure' | 'value'>>;
}

/** An event of the log of such a world. */
export type WorldEvent = AgentInput & { readonly at: number };

/** Runs agents in a world, effect by effect. */
export class AgentWorld {
  readonly crew: AgentCrew = new Map();
  readonly events: WorldEvent[] = [];
  readonly asks: AgentAsk[] = [];
  readonly effects: AgentEffect[] = [];
  readonly questions: AgentQuestion[] = [];
  readonly slots: number[] = [];
  readonly #world: World;
  readonly #pending: (() => void)[] = [];
  readonly #counts = new Map<string, number>();
  #now = 1000;
  #slotLimit = 10;

  constructor(
    world: World,
    options: { readonly events?: readonly WorldEvent[]; readonly slots?: number } = {},
  ) {
    this.#world = world;
    if (options.slots !== undefined) this.#slotLimit = options.slots;
    if (options.events === undefined) {
      this.#fold(startEvent(world));
      return;
    }
    for (const event of options.events) {
      evolveCrew(this.crew, event, this.#tools());
      this.events.push(event);
    }
    resumeCrew(this.crew);
    this.#takeUp();
  }

  /** The agent that was started first, or another. */
  agent(key = 'main/1'): AgentState {
    const agent = this.crew.get(key);
    if (agent === undefined) throw new Error(`there is no agent ${key}`);
    return agent;
  }

  /** The events of one type, in order. */
  only<T extends AgentEventType>(type: T): AgentEventOf<T>[] {
    return this.events.filter((event): event is AgentEventOf<T> & WorldEvent => event.type === type);
  }

  /** Folds an input. */
  give(event: AgentInput): this {
    this.#fold(event);
    return this;
  }

  /** Runs until nothing is owed and nothing is under way, or `until` holds before the next effect ends. */
  run(until: (world: AgentWorld) => boolean = () => false): this {
    for (let steps = 0; steps < 5000; steps++) {
      this.decideAll();
      if (until(this)) return this;
      const next = this.#pending.shift();
      if (next !== undefined) next();
      else if (!this.#wake()) return this;
    }
    throw new Error('the agents do not come to an end');
  }

  /** Takes every decision that is owed. */
  decideAll(): void {
    for (let steps = 0; ; steps++) {
      if (steps > 2000) throw new Error('decisions lead back to themselves');
      const owed = decideCrew(this.crew, this.environment());
      if (owed === null) return;
      this.#take(owed);
      this.slots.push(slotsOfCrew(this.crew));
    }
  }

  environment(): AgentEnvironment {
    return {
      now: this.#now,
      mayCall: true,
      toolCall: 'fits',
      freeSlots: this.#slotLimit - slotsOfCrew(this.crew),
      windowTokens: 100_000,
      maxOutputTokens: 4000,
      context: thresholdEngine,
      estimateTokens: ({ messages, tools }) =>
        estimateInputTokens({ messages, ...(tools === undefined ? {} : { tools }) }),
      timeoutMs: () => 1000,
      backoffMs: (_failure, attempt, draw) => 100 * attempt * draw,
      hasHooks: this.#world.hook !== undefined,
      reserveWriteUp: () => ({ llmCalls: 1 }),
      ...this.#world.environment,
    };
  }

  #tools(): readonly ToolSpec[] {
    return this.#world.tools ?? [anyTool('search'), anyTool('write_file', 'write')];
  }

  #wake(): boolean {
    const wake = nextAgentWake(this.crew, this.#now);
    if (wake === Infinity) return false;
    this.#now = wake;
    return true;
  }

  #fold(event: AgentInput): void {
    const placed = { ...event, at: this.#now } as WorldEvent;
    this.events.push(placed);
    evolveCrew(this.crew, placed, this.#tools());
  }

  #take(decision: AgentDecision): void {
    switch (decision.kind) {
      case 'log':
        this.#fold(decision.event as AgentEvent);
        if (decision.effect !== undefined) this.#perform(decision.effect);
        return;
      case 'ask':
        this.asks.push(decision.ask);
        this.#ask(decision.ask);
        return;
      case 'question':
        this.questions.push(decision.question);
        this.#fold({ type: 'approval.requested', call: decision.question.call });
        this.#askPerson(decision.question);
    }
  }

  #ask(ask: AgentAsk): void {
    const reply = this.#reply(ask);
    if (isRefusal(reply)) {
      this.#fold({ type: 'model.refused', key: ask.id });
      return;
    }
    this.#fold({ type: 'model.requested', key: ask.id });
    this.#pending.push(() => this.#fold(outcomeOf(ask.id, reply)));
  }

  #reply(ask: AgentAsk): Reply {
    const agent = this.agent(ask.agent);
    const { model } = this.#world;
    if (ask.purpose !== 'think') return model[ask.purpose]?.(ask, agent) ?? answer(`${ask.purpose}d`);
    if (typeof model.think === 'function') return model.think(ask, agent);
    const reply = model.think[agent.round - 1];
    if (reply === undefined) throw new Error(`no reply is left for round ${agent.round} of ${agent.key}`);
    return reply;
  }

  #perform(effect: AgentEffect): void {
    this.effects.push(effect);
    const { agent } = effect;
    switch (effect.kind) {
      case 'brief':
        this.#pending.push(() => {
          this.#fold({ type: 'agent.briefed', agent, briefing: briefingSchema.parse({}) });
        });
        return;
      case 'recall':
        this.#pending.push(() => {
          this.#fold({ type: 'agent.recalled', agent, text: this.#world.recall?.(effect.query) ?? '' });
        });
        return;
      case 'keepFigures':
        this.#pending.push(() => this.#fold({ type: 'figures.kept', agent, count: effect.texts.length }));
        return;
      case 'keepMemory':
        return;
      case 'askHooks':
        this.#pending.push(() => {
          const when = effect.outcome === null ? 'before' : 'after';
          const said = this.#world.hook?.(when, effect.tool.name, effect.args, effect.outcome) ?? {};
          this.#fold({ type: 'call.hooked', agent, key: effect.key, when, ...said });
        });
        return;
      case 'callAgentTool':
        this.#pending.push(() => this.#return(effect));
    }
  }

  #return({ agent, key, tool, args }: Extract<AgentEffect, { kind: 'callAgentTool' }>): void {
    const count = (this.#counts.get(tool) ?? 0) + 1;
    this.#counts.set(tool, count);
    const result = this.#world.call?.(tool, args, count) ?? `result of ${tool}`;
    if (typeof result === 'object' && 'failure' in result) {
      const { failure } = result as unknown as { failure: Failure };
      this.#fold({ type: 'call.failed', agent, key, failure, draw: 0.5 });
    } else {
      this.#fold({ type: 'call.returned', agent, key, value: result as Json });
    }
  }

  #askPerson(question: AgentQuestion): void {
    const said = this.#world.person?.(question);
    if (said === undefined) return;
    this.#pending.push(() => this.#fold({ type: 'approval.decided', call: question.call, ...said }));
  }

  /** After a resumption: model calls under way are made again, questions that are open are asked again. */
  #takeUp(): void {
    for (const agent of this.crew.values()) {
      const { asking } = agent;
      if (asking !== null) {
        this.#pending.push(() => {
          const ask: AgentAsk = {
            id: asking.id,
            agent: agent.key,
            purpose: asking.purpose,
            role: '',
            isFinal: asking.purpose === 'final',
            messages: [],
          };
          const reply = this.#reply(ask);
          if (!isRefusal(reply)) this.#fold(outcomeOf(asking.id, reply));
        });
      }
      for (const call of agent.calls) {
        if (call.status !== 'asking') continue;
        const question = call.isDoubtful ? 'in_doubt' : 'consent';
        const { key, tool, args, signature } = call;
        this.#askPerson({ agent: agent.key, call: key, question, tool, args, argsHash: signature });
      }
    }
  }
}

function isRefusal(reply: Reply): reply is Refusal {
  return typeof reply === 'object' && 'isRefused' in reply;
}

function outcomeOf(key: string, reply: Exclude<Reply, Refusal>): AgentInput {
  if (typeof reply === 'string') return { type: 'model.answered', key, answer: answer(reply) };
  if ('failure' in reply) return { type: 'ask.failed', key, failure: reply.failure };
  return { type: 'model.answered', key, answer: reply };
}

function startEvent(world: World): AgentEventOf<'agent.started'> {
  const tools = world.tools ?? [anyTool('search'), anyTool('write_file', 'write')];
  const settings = agentSettingsSchema.parse({ recallChars: 0, ...world.settings });
  return {
    type: 'agent.started',
    agent: 'main/1',
    task: world.task ?? 'Find x.',
    grant: agentGrantSchema.parse({
      tools: [...tools.map(({ name }) => name), 'todo', 'memory', 'delegate'],
      effects: ['read', 'write', 'irreversible'],
      approve: 'irreversible',
      iterations: settings.iterations,
      depth: 1,
      ...world.grant,
    }),
    settings,
    reserved: { llmCalls: 1 },
    ...world.started,
  };
}

/** The agents of a world, run to their end. */
export function runWorld(world: World, options?: { readonly slots?: number }): AgentWorld {
  return new AgentWorld(world, options).run();
}
