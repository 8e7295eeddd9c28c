/*
 * An agent that is talked to: one run, in which each message is an exchange. Owned here: who waits for which exchange.
 * Not here: how a run is prepared and driven (agent-open), nor what an agent does (agent, run).
 */
import type { Message } from '../contracts/model.ts';
import type { Driver } from '../engine/driver.ts';
import type { EventOf, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { RunState } from '../run/state.ts';
import type { AgentCallbacks } from './agent-callbacks.ts';
import { tellCallbacks } from './agent-callbacks.ts';

/** What an agent is told. */
export interface AgentMessage {
  readonly message: string;
  /** Standing instructions, from here on. */
  readonly systemMessage?: string;
  /** What was said before, where this session begins with it; what the session itself holds is then left behind. */
  readonly history?: readonly Message[];
  /** What whoever asks calls it. */
  readonly taskId?: string;
}

/** What came of a message. */
export interface AgentReply {
  readonly answer: string;
  /** `waiting`: a person is to be asked and nobody is there; the session can be taken up again. */
  readonly status: 'completed' | 'partial' | 'aborted' | 'waiting';
  readonly reason: string;
  /** The whole conversation, in OpenAI form, the answer last. */
  readonly messages: readonly Message[];
  /** What this exchange took. Cost is null where a model without a known price was called. */
  readonly usage: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly llmCalls: number;
    readonly toolCalls: number;
    readonly costUsd: number | null;
  };
  readonly metadata: {
    readonly session: string;
    /** The folder of the session; null where it is kept in memory. */
    readonly folder: string | null;
    /** Key of the exchange in the log. */
    readonly exchange: string;
    readonly taskId?: string;
    readonly rounds: number;
    readonly elapsedMs: number;
  };
}

interface Waiting {
  readonly taskId: string | undefined;
  readonly before: ReturnType<typeof countUsage>;
  startedAt: number;
  key: string | null;
  readonly resolve: (reply: AgentReply) => void;
  readonly reject: (error: unknown) => void;
}

/** A session with an agent, in this process. */
export class AgentSession {
  readonly id: string;
  readonly folder: string | null;
  readonly #callbacks: AgentCallbacks;
  #driver: Driver | null = null;
  #state: RunState | null = null;
  #waiting: Waiting[] = [];
  #ended: Promise<unknown> = Promise.resolve();
  #isOver = false;
  /** The reply of an exchange that another process left open, where this one goes on with it. */
  pending: Promise<AgentReply> | null = null;

  constructor(id: string, folder: string | null, callbacks: AgentCallbacks) {
    this.id = id;
    this.folder = folder;
    this.#callbacks = callbacks;
  }

  /** True while an exchange goes on. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Says something and gives the answer; while another exchange goes on it interrupts that. */
  async chat(text: string): Promise<string> {
    return (await this.run({ message: text })).answer;
  }

  /** Says something and gives what came of it, with messages and usage. Throws what the run itself fails with. */
  async run({ message, systemMessage, history, taskId }: AgentMessage): Promise<AgentReply> {
    const driver = this.#driver;
    if (driver === null || this.#isOver) throw over(this.id);
    if (this.isBusy) await this.interrupt('message');
    const reply = this.#await(taskId);
    driver.submit({
      ...{ type: 'message.received', text: message },
      ...(systemMessage === undefined ? {} : { systemMessage }),
      ...(history === undefined ? {} : { history }),
      ...(taskId === undefined ? {} : { taskId }),
    });
    return reply;
  }

  /** Ends the exchange that goes on, at once: what was half said never enters the history. Resolves when it has ended. */
  async interrupt(by: 'message' | 'stop' | 'signal' = 'stop'): Promise<void> {
    // It may end at once, before this call returns.
    const ended = this.isBusy
      ? new Promise<void>((resolve) => this.#afterEnd.push(resolve))
      : Promise.resolve();
    this.#driver?.submitFrom((state) => {
      const current = state.session?.current ?? null;
      const agent = current === null ? undefined : state.crew.get(current);
      if (agent === undefined || agent.phase === 'ended') return [];
      return [{ type: 'agent.interrupted', agent: agent.key, by }];
    });
    await ended;
  }

  /** Ends the session in this process; it can be taken up again. */
  async close(): Promise<void> {
    if (!this.#isOver) this.#driver?.cancel('closed');
    await this.#ended;
  }

  readonly #afterEnd: (() => void)[] = [];

  /** Takes the run that was begun for the session; for whoever opens one. */
  take(driver: Driver): void {
    this.#driver = driver;
  }

  /** Follows the run to its end; for whoever opens one. */
  endWith(ended: Promise<unknown>): void {
    this.#ended = ended.then(
      () => this.#end(null),
      (error: unknown) => this.#end(error),
    );
  }

  /** Awaits an exchange that was open when the session was taken up; for whoever opens one. */
  awaitOpen(key: string | null): void {
    this.pending = this.#await(undefined, key);
    // Whoever does not look at it is not to be ended by it.
    this.pending.catch(() => undefined);
  }

  /** Follows the events of the run; for whoever opens one. */
  follow(event: FlightEvent, state: RunState): void {
    this.#state = state;
    tellCallbacks(this.#callbacks, event, state);
    if (event.type === 'agent.started' && event.parent === undefined) {
      const next = this.#waiting.find(({ key }) => key === null);
      if (next !== undefined) {
        next.key = event.agent;
        // What the person took to say something is not the exchange's.
        next.startedAt = event.at;
      }
    } else if (event.type === 'agent.finished') {
      this.#finish(event, state);
    }
  }

  #await(taskId: string | undefined, key: string | null = null): Promise<AgentReply> {
    return new Promise((resolve, reject) => {
      const before = countUsage(this.#state);
      this.#waiting.push({ taskId, before, startedAt: this.#state?.now ?? 0, key, resolve, reject });
    });
  }

  #finish({ agent: key, status, reason, at }: EventOf<'agent.finished'>, state: RunState): void {
    const waiting = this.#waiting.find((each) => each.key === key);
    if (waiting === undefined) return;
    this.#waiting = this.#waiting.filter((each) => each !== waiting);
    waiting.resolve(this.#reply(waiting, state, { status, reason, at }));
    for (const resolve of this.#afterEnd.splice(0)) resolve();
  }

  #reply(
    { key, taskId, before, startedAt }: Waiting,
    state: RunState,
    { status, reason, at }: { status: AgentReply['status']; reason: string; at: number },
  ): AgentReply {
    const agent = key === null ? undefined : state.crew.get(key);
    const after = countUsage(state);
    return {
      answer: status === 'aborted' || status === 'waiting' ? '' : (agent?.answerText ?? ''),
      status,
      reason,
      messages: [...(agent?.messages ?? [])],
      usage: {
        inputTokens: after.inputTokens - before.inputTokens,
        outputTokens: after.outputTokens - before.outputTokens,
        llmCalls: after.llmCalls - before.llmCalls,
        toolCalls: after.toolCalls - before.toolCalls,
        costUsd: state.hasUnknownCost ? null : (after.costMicroUsd - before.costMicroUsd) / 1e6,
      },
      metadata: {
        ...{ session: this.id, folder: this.folder, exchange: key ?? '', rounds: agent?.round ?? 0 },
        ...(taskId === undefined ? {} : { taskId }),
        elapsedMs: Math.max(0, at - startedAt),
      },
    };
  }

  /** The run has ended: by a person who waits for nobody here, by `close`, or by an error. */
  #end(error: unknown): void {
    this.#isOver = true;
    const open = this.#waiting.splice(0);
    const state = this.#state;
    for (const waiting of open) {
      if (error !== null || state === null) waiting.reject(error ?? over(this.id));
      else {
        const status = state.finished?.status === 'waiting' ? 'waiting' : 'aborted';
        const reason = state.finished?.reason ?? 'the session was closed';
        waiting.resolve(this.#reply(waiting, state, { status, reason, at: state.now }));
      }
    }
    for (const resolve of this.#afterEnd.splice(0)) resolve();
  }
}

function countUsage(state: RunState | null) {
  const settled = state?.ledger.settled;
  return {
    inputTokens: state?.usedTokens.input ?? 0,
    outputTokens: state?.usedTokens.output ?? 0,
    llmCalls: settled?.llmCalls ?? 0,
    toolCalls: settled?.toolCalls ?? 0,
    costMicroUsd: settled?.costMicroUsd ?? 0,
  };
}

function over(id: string): OrchestratorError {
  return new OrchestratorError('not_resumable', `the session ${id} is closed in this process`, {
    hint: 'Open it again with `createAgent({ session })`.',
  });
}
