/*
 * What agents have under way outside: calls of tools, briefings, recalls, what they keep. Owned here: beginning it,
 * aborting it, and one report of its end. Questions to models are the run's own.
 */
import { briefingSchema } from '../contracts/agent.ts';
import type { Failure } from '../contracts/failure.ts';
import { toFailure } from '../contracts/failure.ts';
import type { RecalledContext } from '../contracts/memory.ts';
import type { AskRequest } from '../contracts/model.ts';
import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import type { TraceCarrier } from '../contracts/tool.ts';
import type { EventPayload } from '../flight/events.ts';
import { cutText } from '../kernel/cut-text.ts';
import { hashJson } from '../kernel/hash.ts';
import { type Json, type JsonObject, toPlainJson } from '../kernel/json.ts';
import { nodeOfAgent } from '../run/crew-state.ts';
import { tryKey } from '../run/effect-key.ts';
import type { Effect } from '../run/effects.ts';
import type { RunState } from '../run/state.ts';
import { keepNotes } from './keep-notes.ts';
import { performTool } from './perform.ts';
import type { EnginePorts } from './ports.ts';
import { ToolRun, type ToolOutcome, type ToolRunHost } from './tool-run.ts';

type AgentEffect = Extract<Effect, { kind: 'agent' }>['effect'];
type CallEffect = Extract<AgentEffect, { kind: 'callAgentTool' }>;

/** A call of a tool by an agent; its key is that of the call, whichever attempt it is. */
export class AgentToolRun extends ToolRun {
  readonly call: CallEffect;

  readonly #nodeName: string;

  constructor(call: CallEffect, nodeName: string, startedAt: number, host: ToolRunHost) {
    const { key: node, attempt, tool, args, timeoutMs, keepsLateResult, isAmended } = call;
    super(
      { kind: 'callTool', node, attempt, tool, args, timeoutMs, keepsLateResult, isAmended },
      startedAt,
      host,
    );
    this.call = call;
    this.#nodeName = nodeName;
  }

  override get key(): string {
    return this.call.key;
  }

  override get nodeName(): string {
    return this.#nodeName;
  }
}

/** What the work of agents needs of whoever drives the run. */
export interface AgentWorkHost {
  submit(payload: EventPayload): void;
  watch(deadlineAt: number): void;
  ask(run: ToolRun, role: string, request: AskRequest): Promise<string>;
  dropAsks(asks: ReadonlySet<string>): void;
  spawnFor(run: ToolRun, request: ProcessRequest): Promise<ChildGroup>;
  askHooks(effect: Extract<AgentEffect, { kind: 'askHooks' }>): void;
}

/** The work of the agents of a run that is under way. */
export class AgentWork implements ToolRunHost {
  readonly calls = new Map<string, AgentToolRun>();
  readonly #state: RunState;
  readonly #ports: EnginePorts;
  readonly #host: AgentWorkHost;

  constructor(state: RunState, ports: EnginePorts, host: AgentWorkHost) {
    this.#state = state;
    this.#ports = ports;
    this.#host = host;
  }

  get workspace(): string {
    return this.#state.workspace;
  }

  get graceMs(): number {
    return this.#state.task.limits.graceMs;
  }

  /** Begins an effect of an agent. */
  begin(effect: AgentEffect): void {
    switch (effect.kind) {
      case 'callAgentTool': {
        // It was decided before the interruption, and durable only after it.
        if (this.#state.crew.get(effect.agent)?.isInterrupted === true) {
          const message = 'the agent was interrupted';
          this.reportDropped(effect, { code: 'aborted', class: 'PERMANENT', message });
          return;
        }
        const node = nodeOfAgent(this.#state, effect.agent);
        const run = new AgentToolRun(effect, node, this.#ports.clock.now(), this);
        this.calls.set(effect.key, run);
        this.#host.watch(run.deadlineAt);
        performTool(this.#ports, run);
        return;
      }
      case 'brief':
        void this.#brief(effect.agent);
        return;
      case 'recall':
        void this.#recall(effect);
        return;
      case 'keepFigures':
        void this.#keepFigures(effect);
        return;
      case 'askHooks':
        this.#host.askHooks(effect);
        return;
      case 'keepMemory':
        void keepNotes(this.#ports, this.#state, effect, (payload) => this.#host.submit(payload));
    }
  }

  /** A call that was decided but had not begun ends as if it had been aborted at once. */
  reportDropped(effect: AgentEffect, failure: Failure): void {
    if (effect.kind !== 'callAgentTool') return;
    const { agent, key } = effect;
    this.#host.submit({ type: 'call.failed', agent, key, failure });
  }

  /** Aborts the calls of an agent and of those below it; of all where none is named. */
  abort(failure: Failure, agent = ''): void {
    for (const run of this.calls.values()) {
      if (agent === '' || run.call.key.startsWith(`${agent}/`)) this.abortTool(run, failure);
    }
  }

  acceptResult(tool: string, returned: unknown): Json {
    return this.#ports.acceptResult(tool, returned);
  }

  finishTool(run: ToolRun, outcome: ToolOutcome): void {
    if (run.isOver || !(run instanceof AgentToolRun)) return;
    run.isOver = true;
    const { agent, key } = run.call;
    this.calls.delete(key);
    if (run.openAsks !== null) this.#host.dropAsks(run.openAsks);
    const payload: EventPayload = outcome.ok
      ? { type: 'call.returned', agent, key, value: outcome.value }
      : {
          ...{ type: 'call.failed', agent, key, failure: outcome.failure },
          ...(outcome.isLingering ? { lingering: true } : {}),
          draw: this.#ports.random.draw(),
        };
    run.report(() => this.#host.submit(payload));
  }

  amendTool(run: ToolRun, args: JsonObject): void {
    if (run.isOver || !(run instanceof AgentToolRun)) return;
    run.isOver = true;
    const { agent, key } = run.call;
    this.calls.delete(key);
    this.#host.submit({ type: 'call.amended', agent, key, by: 'hook', args });
  }

  abortTool(run: ToolRun, failure: Failure): void {
    run.abort(failure, this.#ports.clock.now());
    this.#host.watch(run.deadlineAt);
  }

  ask(run: ToolRun, role: string, request: AskRequest): Promise<string> {
    return this.#host.ask(run, role, request);
  }

  logFrom(run: ToolRun, message: string): void {
    if (!run.isOver) this.#host.submit({ type: 'tool.logged', node: run.effect.node, message });
  }

  spawnFor(run: ToolRun, request: ProcessRequest): Promise<ChildGroup> {
    return this.#host.spawnFor(run, request);
  }

  traceOf(run: ToolRun): TraceCarrier | undefined {
    return this.#ports.trace?.of(tryKey(run.key, run.effect.attempt));
  }

  /** The same for every attempt of this call: a call again under another key is another call. */
  idempotencyKeyOf(run: ToolRun): string {
    return `${this.#state.runId}/${run.key}/${hashJson(run.effect.args).slice(0, 16)}`;
  }

  async #brief(agent: string): Promise<void> {
    const briefing = await Promise.resolve(this.#ports.agents?.brief?.(this.#state)).then(
      (given) => briefingSchema.safeParse(toPlainJson(given ?? {})),
      (thrown: unknown) => {
        this.#tell(agent, `the briefing could not be had: ${toFailure(thrown).message}`);
        return briefingSchema.safeParse({});
      },
    );
    this.#host.submit({
      ...{ type: 'agent.briefed', agent },
      briefing: briefing.success ? briefing.data : briefingSchema.parse({}),
    });
  }

  async #recall({ agent, query }: Extract<AgentEffect, { kind: 'recall' }>): Promise<void> {
    const limit = this.#state.crew.get(agent)?.settings.recallChars ?? 0;
    const recalled = this.#ports.memory?.recall({
      ...{ key: `${agent}/recall`, query, working: {}, budgetChars: limit },
    });
    const context = await this.#inTime(agent, recalled).catch((thrown: unknown) => {
      this.#tell(agent, `nothing was recalled: ${toFailure(thrown).message}`);
      return null;
    });
    for (const warning of context?.warnings ?? []) this.#tell(agent, warning);
    this.#host.submit({ type: 'agent.recalled', agent, text: cutText(context?.text ?? '', limit) });
  }

  /** What is recalled, or null once the time that a model call waits for memory is over. */
  #inTime(agent: string, recalled: Promise<RecalledContext> | undefined): Promise<RecalledContext | null> {
    if (recalled === undefined) return Promise.resolve(null);
    const { timeoutMs } = this.#state.task.memory;
    return new Promise((resolve, reject) => {
      const cancel = this.#ports.clock.setTimer(timeoutMs, () => {
        this.#tell(agent, `nothing was recalled within ${timeoutMs} ms`);
        resolve(null);
      });
      recalled.then(resolve, reject).finally(cancel);
    });
  }

  async #keepFigures({ agent, texts }: Extract<AgentEffect, { kind: 'keepFigures' }>): Promise<void> {
    const kept = await Promise.resolve(this.#ports.agents?.keepFigures?.(texts, this.#state)).then(
      (count) => ({ count: count ?? 0 }),
      (thrown: unknown) => ({ count: 0, failure: toFailure(thrown) }),
    );
    this.#host.submit({ type: 'figures.kept', agent, ...kept });
  }

  #tell(agent: string, message: string): void {
    this.#host.submit({ type: 'tool.logged', node: agent, message });
  }
}
