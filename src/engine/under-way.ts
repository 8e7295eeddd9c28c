/*
 * The calls of a run that are under way, each with its deadline, and the questions of tools that wait for an answer.
 * Owned here: beginning a call, aborting it, and one report of its end. Not here: when a call may begin (driver).
 */
import type { Failure } from '../contracts/failure.ts';
import type { RecalledContext } from '../contracts/memory.ts';
import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import type { TraceCarrier } from '../contracts/tool.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { EventOf, EventPayload, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { hashJson } from '../kernel/hash.ts';
import { answerAtHand } from '../run/answers-at-hand.ts';
import { nodeKey } from '../run/effect-key.ts';
import type { Effect } from '../run/effects.ts';
import { wallLeftMs } from '../run/modes.ts';
import type { RunState } from '../run/state.ts';
import { AgentWork } from './agent-work.ts';
import { HookQuestions } from './ask-hooks.ts';
import { Askers, parseAsk } from './askers.ts';
import { CallProcesses } from './call-processes.ts';
import { CallSet } from './call-set.ts';
import { CheckRun, type CheckRunHost } from './check-run.ts';
import { Deadlines } from './deadlines.ts';
import { ModelRun, type ModelRunHost } from './model-run.ts';
import { performCheck, performModel, performRecall, performRefresh, performTool } from './perform.ts';
import type { EnginePorts } from './ports.ts';
import { RecallRun, type RecallRunHost } from './recall-run.ts';
import { ToolRun, type ToolOutcome, type ToolRunHost } from './tool-run.ts';

/** The calls of a run that are under way; each reports its end once, as an input. */
export class UnderWay implements ToolRunHost, ModelRunHost, CheckRunHost, RecallRunHost {
  readonly #state: RunState;
  readonly #ports: EnginePorts;
  readonly #submit: (payload: EventPayload) => void;
  readonly #deadlines: Deadlines;
  readonly #askers = new Askers();
  readonly #tools = new CallSet<ToolRun>();
  readonly #models = new Map<string, ModelRun>();
  readonly #checks = new Map<string, CheckRun>();
  readonly #recalls = new Map<string, RecallRun>();
  readonly #agents: AgentWork;
  readonly #hooks: HookQuestions;

  constructor(state: RunState, ports: EnginePorts, submit: (payload: EventPayload) => void) {
    this.#state = state;
    this.#ports = ports;
    this.#submit = submit;
    this.#hooks = new HookQuestions(state, ports, submit);
    this.#agents = new AgentWork(state, ports, {
      submit,
      watch: (deadlineAt) => this.#deadlines.watch(deadlineAt),
      ask: (run, role, request) => this.ask(run, role, request),
      dropAsks: (asks) => this.#dropAsks(asks),
      spawnFor: (run, request) => this.spawnFor(run, request),
      askHooks: (effect) => this.#hooks.ask(effect),
    });
    const calls = [this.#tools, this.#agents.calls, this.#models, this.#checks, this.#recalls];
    this.#deadlines = new Deadlines(ports.clock, calls);
  }

  get workspace(): string {
    return this.#state.workspace;
  }

  get graceMs(): number {
    return this.#state.task.limits.graceMs;
  }

  /** Lets go of the timers; nothing ends by its deadline any more. */
  close(): void {
    this.#hooks.close();
    this.#deadlines.close();
  }

  /** Answers the question of a tool that an event ends. */
  follow(event: FlightEvent): void {
    if (event.type === 'model.answered' || event.type === 'ask.failed' || event.type === 'model.refused') {
      this.#askers.follow(event);
    } else if (event.type === 'ask.reused') {
      this.#askers.reuse(event.key, answerAtHand(this.#state, event.node, event.key)?.answer);
    } else if (event.type === 'agent.interrupted') this.#interrupt(event.agent);
  }

  /** Whatever an agent has under way is aborted, and what its children have. */
  #interrupt(agent: string): void {
    const failure: Failure = { code: 'aborted', class: 'PERMANENT', message: 'the agent was interrupted' };
    this.#agents.abort(failure, agent);
    for (const run of this.#models.values()) {
      if (run.effect.key.startsWith(`${agent}/`)) this.abortModel(run, failure);
    }
  }

  /** Aborts every call; checks and recalls are left to themselves: whoever takes the run up makes them again. */
  abortAll(failure: Failure): void {
    for (const run of this.#tools.values()) this.abortTool(run, failure);
    this.#agents.abort(failure);
    for (const run of this.#models.values()) this.abortModel(run, failure);
    for (const run of [...this.#checks.values(), ...this.#recalls.values()]) run.isOver = true;
    this.#checks.clear();
    this.#recalls.clear();
  }

  /** An effect that was decided but had not begun ends as if it had been aborted at once. */
  reportDropped(effect: Effect, failure: Failure): void {
    switch (effect.kind) {
      case 'callTool':
        this.#submit({ type: 'attempt.failed', node: effect.node, attempt: effect.attempt, failure });
        return;
      case 'callModel':
        this.#submit({ type: 'model.failed', key: effect.key, failure });
        return;
      case 'refreshCredential':
        this.#submit({ type: 'credential.refreshed', key: effect.key, provider: effect.provider, failure });
        return;
      case 'agent':
        this.#agents.reportDropped(effect.effect, failure);
        return;
      case 'askHooks':
      case 'callCheck':
      case 'recall':
    }
  }

  /** Begins an effect. */
  begin(effect: Effect): void {
    const now = this.#ports.clock.now();
    switch (effect.kind) {
      case 'callTool': {
        const run = new ToolRun(effect, now, this);
        this.#tools.add(run);
        this.#deadlines.watch(run.deadlineAt);
        performTool(this.#ports, run);
        return;
      }
      case 'agent':
        this.#agents.begin(effect.effect);
        return;
      case 'askHooks':
        this.#hooks.ask(effect);
        return;
      case 'callModel': {
        const run = new ModelRun(effect, now, now + wallLeftMs(this.#state), this);
        this.#models.set(effect.key, run);
        this.#deadlines.watch(run.deadlineAt);
        performModel(this.#ports, run);
        return;
      }
      case 'refreshCredential': {
        const { key, provider } = effect;
        void performRefresh(this.#ports, provider).then((failure) => {
          const refused = failure === undefined ? {} : { failure };
          this.#submit({ type: 'credential.refreshed', key, provider, ...refused });
        });
        return;
      }
      case 'callCheck': {
        const run = new CheckRun(effect, now, this);
        this.#checks.set(effect.key, run);
        this.#deadlines.watch(run.deadlineAt);
        performCheck(this.#ports, run, this.#state);
        return;
      }
      case 'recall': {
        const run = new RecallRun(effect, now, this);
        this.#recalls.set(effect.key, run);
        this.#deadlines.watch(run.deadlineAt);
        performRecall(this.#ports, run);
      }
    }
  }

  finishCheck(run: CheckRun, result: CheckResult): void {
    if (run.isOver) return;
    run.isOver = true;
    this.#checks.delete(run.effect.key);
    this.#submit({ type: 'check.returned', key: run.effect.key, result });
  }

  finishRecall(run: RecallRun, context: RecalledContext, isLate: boolean): void {
    if (run.isOver) return;
    run.isOver = true;
    const { key } = run.effect;
    this.#recalls.delete(key);
    this.#submit({ type: 'memory.recalled', key, ...context, ...(isLate ? { timedOut: true } : {}) });
  }

  acceptResult(tool: string, returned: unknown): Json {
    return this.#ports.acceptResult(tool, returned);
  }

  finishTool(run: ToolRun, outcome: ToolOutcome): void {
    if (run.isOver) return;
    run.isOver = true;
    const { node, attempt } = run.effect;
    this.#tools.delete(run);
    if (run.openAsks !== null) this.#dropAsks(run.openAsks);
    if (outcome.ok) {
      const event: EventOf<'node.done'> = {
        seq: -1,
        at: NaN,
        type: 'node.done',
        node,
        attempt,
        value: outcome.value,
      };
      run.report(() => this.#submit(event));
      return;
    }
    const failed: EventPayload = {
      type: 'attempt.failed',
      node,
      attempt,
      failure: outcome.failure,
      ...(outcome.isLingering ? { lingering: true } : {}),
      draw: this.#ports.random.draw(),
    };
    run.report(() => this.#submit(failed));
  }

  /** Other arguments, or a revision, make it another call; a retry, a resumption or a person's "again" does not. */
  idempotencyKeyOf({ effect: { node, args } }: ToolRun): string {
    const { runId, nodes, revisions } = this.#state;
    const isRevised = (nodes.get(node)?.feedback ?? null) !== null;
    const revision = isRevised ? `/revision-${revisions}` : '';
    return `${runId}/${nodeKey(node)}/${hashJson(args).slice(0, 16)}${revision}`;
  }

  spawnFor(run: ToolRun, request: ProcessRequest): Promise<ChildGroup> {
    run.processes ??= new CallProcesses();
    return run.processes.spawn(this.#ports, request, this.workspace, run);
  }

  amendTool(run: ToolRun, args: JsonObject): void {
    if (run.isOver) return;
    run.isOver = true;
    const { node } = run.effect;
    this.#tools.delete(run);
    this.#submit({ type: 'node.amended', node, by: 'hook', args, reasons: ['changed by preToolCall'] });
  }

  abortTool(run: ToolRun, failure: Failure): void {
    run.abort(failure, this.#ports.clock.now());
    this.#deadlines.watch(run.deadlineAt);
  }

  /** Nobody waits for these answers any more. */
  #dropAsks(asks: ReadonlySet<string>): void {
    const failure: Failure = {
      code: 'aborted',
      class: 'PERMANENT',
      message: 'the call that asked has ended',
    };
    for (const id of asks) {
      this.#askers.drop(id);
      for (const model of this.#models.values()) {
        if (model.effect.key === id || model.effect.key.startsWith(`${id}#`)) this.abortModel(model, failure);
      }
    }
  }

  finishModel(run: ModelRun, outcome: { answer: ModelAnswer } | { failure: Failure }): void {
    if (run.isOver) return;
    run.isOver = true;
    const { key } = run.effect;
    this.#models.delete(key);
    if ('answer' in outcome) this.#submit({ type: 'model.answered', key, answer: outcome.answer });
    else {
      const used = run.usage === undefined ? {} : { usage: run.usage };
      const draw = this.#ports.random.draw();
      this.#submit({ type: 'model.failed', key, failure: outcome.failure, ...used, draw });
    }
  }

  warnOf(run: ModelRun, message: string): void {
    if (!run.isOver) this.#submit({ type: 'model.warned', key: run.effect.key, message });
  }

  watchModel(run: ModelRun): void {
    this.#deadlines.watch(run.deadlineAt);
  }

  abortModel(run: ModelRun, failure: Failure): void {
    run.abort(failure, this.#ports.clock.now());
    this.#deadlines.watch(run.deadlineAt);
  }

  ask(run: ToolRun, role: string, request: AskRequest): Promise<string> {
    const parsed = parseAsk(role, request);
    if (parsed instanceof OrchestratorError) return Promise.reject(parsed);
    if (run.isOver || run.failure !== null) {
      return Promise.reject(new OrchestratorError('aborted', 'the call that asks has ended'));
    }
    run.asked++;
    const id = `${run.key}/${run.asked}`;
    const asks = (run.openAsks ??= new Set());
    asks.add(id);
    const answer = this.#askers.wait(id, parsed.format, () => asks.delete(id));
    const { node, attempt } = run.effect;
    this.#submit({ type: 'ask.received', key: id, node, attempt, role, request: parsed });
    return answer;
  }

  traceOf(run: ToolRun): TraceCarrier | undefined {
    return this.#ports.trace?.of(run.key);
  }

  logFrom(run: ToolRun, message: string): void {
    if (!run.isOver) this.#submit({ type: 'tool.logged', node: run.effect.node, message });
  }
}
