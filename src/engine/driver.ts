/*
 * Drives one run: asks `decide` what is owed, appends and folds it, performs its effect, and folds what comes back.
 * Owned here: the loop, the order of folding, durability before effects, deadlines and cancellation.
 * Not here: what is owed (run/decide), what it means (run/evolve), how a call is made (engine/perform).
 *
 * 1. A decision is folded before the next is asked for; inputs are folded one at a time, only when nothing is owed.
 * 2. An effect starts only when the event that it depends on is durable (I1).
 * 3. The event loop gets its turn at least every 10 ms.
 * 4. After a failed write no effect starts, and the run ends with the error.
 */
import type { Failure } from '../contracts/failure.ts';
import type { AskRequest, ModelAnswer } from '../contracts/model.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { EventOf, EventPayload, FlightEvent } from '../flight/events.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { decide, nextWake } from '../run/decide.ts';
import type { Effect } from '../run/effects.ts';
import { evolve } from '../run/evolve.ts';
import { isOver, type RunState } from '../run/state.ts';
import { Askers, parseAsk } from './askers.ts';
import { CheckRun, type CheckRunHost } from './check-run.ts';
import { Deadlines } from './deadlines.ts';
import { HeldEffects } from './held-effects.ts';
import { ModelRun, type ModelRunHost } from './model-run.ts';
import { performCheck, performModel, performRefresh, performTool } from './perform.ts';
import type { EnginePorts } from './ports.ts';
import { ToolRun, type ToolOutcome, type ToolRunHost } from './tool-run.ts';

const LONGEST_TURN_MS = 10;

/** Drives a run from the state that it is given to its end, or to an interruption. */
export class Driver implements ToolRunHost, ModelRunHost, CheckRunHost {
  readonly #state: RunState;
  readonly #ports: EnginePorts;
  readonly #inputs: EventPayload[] = [];
  #nextInput = 0;
  readonly #held: HeldEffects;
  readonly #deadlines: Deadlines;
  readonly #askers = new Askers();
  readonly #tools = new Map<string, ToolRun>();
  readonly #models = new Map<string, ModelRun>();
  readonly #checks = new Map<string, CheckRun>();
  #isPumping = false;
  #turnStartedAt: number;
  #wakeAt = Infinity;
  #cancelWake: (() => void) | null = null;
  #settle: { resolve: (state: RunState) => void; reject: (error: unknown) => void } | null = null;
  #hasFailed = false;

  constructor(state: RunState, ports: EnginePorts) {
    this.#state = state;
    this.#ports = ports;
    this.#deadlines = new Deadlines(ports.clock, [this.#tools, this.#models, this.#checks]);
    this.#turnStartedAt = ports.clock.now();
    this.#held = new HeldEffects(
      ports.log,
      (effect) => this.#perform(effect),
      (error) => this.#failRun(error),
    );
  }

  get workspace(): string {
    return this.#state.workspace;
  }

  get graceMs(): number {
    return this.#state.task.limits.graceMs;
  }

  /** Runs to the end; rejects with `log_write_failed` where the log cannot be written. */
  run(): Promise<RunState> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#pump();
    });
  }

  /** Queues an input; it is folded when nothing is owed. */
  submit(payload: EventPayload): void {
    this.#inputs.push(this.#ports.mask?.(payload) ?? payload);
    this.#pump();
  }

  /** Ends the run as soon as what is under way has returned or its grace is over. */
  cancel(reason: string): void {
    if (isOver(this.#state) || this.#state.isCancelling) return;
    this.submit({ type: 'cancel.requested', reason });
  }

  #pump(): void {
    if (this.#isPumping || this.#hasFailed || this.#settle === null) return;
    this.#isPumping = true;
    try {
      if (this.#foldAll()) this.#rest();
    } catch (error) {
      this.#failRun(error);
    }
  }

  /** Folds until nothing is owed and no input waits; false where the event loop is given its turn first. */
  #foldAll(): boolean {
    const state = this.#state;
    for (;;) {
      const decision = decide(state);
      if (decision !== null) {
        this.#append(decision.event);
        if (decision.effect !== undefined) {
          const { after } = decision;
          this.#held.take(
            decision.effect,
            after === undefined ? state.lastSeq : Math.min(after, state.lastSeq),
          );
        }
      } else {
        const input = this.#takeInput();
        if (input === undefined || isOver(state)) return true;
        this.#append(input);
      }
      if (state.now - this.#turnStartedAt > LONGEST_TURN_MS) {
        setImmediate(() => {
          this.#turnStartedAt = this.#ports.clock.now();
          this.#isPumping = false;
          this.#pump();
        });
        return false;
      }
    }
  }

  #takeInput(): EventPayload | undefined {
    const input = this.#inputs[this.#nextInput];
    if (input === undefined) return undefined;
    this.#nextInput++;
    if (this.#nextInput === this.#inputs.length) {
      this.#inputs.length = 0;
      this.#nextInput = 0;
    }
    return input;
  }

  #append(payload: EventPayload): void {
    const event = placeEvent(payload, this.#state.lastSeq + 1, this.#ports.clock.now());
    this.#ports.log.append(event);
    evolve(this.#state, event);
    this.#follow(event);
    this.#notify(event);
  }

  /** What the driver itself owes after an event. */
  #follow(event: FlightEvent): void {
    if (event.type === 'cancel.requested') {
      this.#abortAll({ code: 'aborted', class: 'PERMANENT', message: `cancelled: ${event.reason}` });
    } else if (
      event.type === 'model.answered' ||
      event.type === 'ask.failed' ||
      event.type === 'model.refused'
    ) {
      this.#askers.follow(event);
    } else if (event.type === 'ask.reused') {
      this.#askers.reuse(event.key, this.#state.nodes.get(event.node)?.answers?.get(event.key)?.answer);
    }
  }

  #notify(event: FlightEvent): void {
    try {
      this.#ports.onEvent?.(event, this.#state);
    } catch (error) {
      // The observer's own defect: it surfaces as its own uncaught error and does not touch the run.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  #rest(): void {
    this.#isPumping = false;
    const state = this.#state;
    if (isOver(state)) {
      void this.#finish();
      return;
    }
    if (state.retrying.length === 0 && state.openCalls.length === 0) return;
    const wakeAt = nextWake(state);
    if (wakeAt === this.#wakeAt) return;
    this.#cancelWake?.();
    this.#wakeAt = wakeAt;
    if (wakeAt === Infinity) return;
    const delayMs = Math.max(0, Math.ceil(wakeAt - this.#ports.clock.now()));
    this.#cancelWake = this.#ports.clock.setTimer(delayMs, () => {
      this.#wakeAt = Infinity;
      this.submit({ type: 'timer.fired' });
    });
  }

  async #finish(): Promise<void> {
    const settle = this.#settle;
    this.#settle = null;
    this.#close();
    try {
      await this.#ports.log.whenDurable(this.#state.lastSeq);
      settle?.resolve(this.#state);
    } catch (error) {
      settle?.reject(error);
    }
  }

  #failRun(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#abortAll({ code: 'aborted', class: 'PERMANENT', message: 'the run cannot go on' });
    this.#close();
    this.#settle?.reject(error);
    this.#settle = null;
  }

  #close(): void {
    this.#deadlines.close();
    this.#cancelWake?.();
    this.#cancelWake = null;
  }

  #abortAll(failure: Failure): void {
    for (const run of this.#tools.values()) this.abortTool(run, failure);
    for (const run of this.#models.values()) this.abortModel(run, failure);
    // Whoever takes the run up calls them again.
    for (const run of this.#checks.values()) run.isOver = true;
    this.#checks.clear();
    for (const effect of this.#held.dropAll()) this.#reportDropped(effect, failure);
  }

  /** An effect that was decided but had not begun ends as if it had been aborted at once. */
  #reportDropped(effect: Effect, failure: Failure): void {
    switch (effect.kind) {
      case 'callTool':
        this.submit({ type: 'attempt.failed', node: effect.node, attempt: effect.attempt, failure });
        return;
      case 'callModel':
        this.submit({ type: 'model.failed', key: effect.key, failure });
        return;
      case 'refreshCredential':
        this.submit({ type: 'credential.refreshed', key: effect.key, provider: effect.provider, failure });
        return;
      case 'callCheck':
    }
  }

  #perform(effect: Effect): void {
    if (this.#hasFailed) return;
    const now = this.#ports.clock.now();
    switch (effect.kind) {
      case 'callTool': {
        const run = new ToolRun(effect, now, this);
        this.#tools.set(effect.node, run);
        this.#deadlines.watch(run.deadlineAt);
        performTool(this.#ports, run);
        return;
      }
      case 'callModel': {
        const run = new ModelRun(effect, now, this);
        this.#models.set(effect.key, run);
        this.#deadlines.watch(run.deadlineAt);
        performModel(this.#ports, run);
        return;
      }
      case 'refreshCredential': {
        const { key, provider } = effect;
        void performRefresh(this.#ports, provider).then((failure) => {
          const refused = failure === undefined ? {} : { failure };
          this.submit({ type: 'credential.refreshed', key, provider, ...refused });
        });
        return;
      }
      case 'callCheck': {
        const run = new CheckRun(effect, now, this);
        this.#checks.set(effect.key, run);
        this.#deadlines.watch(run.deadlineAt);
        performCheck(this.#ports, run, this.#state);
      }
    }
  }

  finishCheck(run: CheckRun, result: CheckResult): void {
    if (run.isOver) return;
    run.isOver = true;
    this.#checks.delete(run.effect.key);
    this.submit({ type: 'check.returned', key: run.effect.key, result });
  }

  acceptResult(tool: string, returned: unknown): Json {
    return this.#ports.acceptResult(tool, returned);
  }

  finishTool(run: ToolRun, outcome: ToolOutcome): void {
    if (run.isOver) return;
    run.isOver = true;
    const { node, attempt } = run.effect;
    this.#tools.delete(node);
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
      this.submit(event);
      return;
    }
    this.submit({
      type: 'attempt.failed',
      node,
      attempt,
      failure: outcome.failure,
      ...(outcome.isLingering ? { lingering: true } : {}),
      draw: this.#ports.random.draw(),
    });
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
    if ('answer' in outcome) this.submit({ type: 'model.answered', key, answer: outcome.answer });
    else
      this.submit({ type: 'model.failed', key, failure: outcome.failure, draw: this.#ports.random.draw() });
  }

  warnOf(run: ModelRun, message: string): void {
    if (!run.isOver) this.submit({ type: 'model.warned', key: run.effect.key, message });
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
    this.submit({ type: 'ask.received', key: id, node, attempt, role, request: parsed });
    return answer;
  }

  logFrom(run: ToolRun, message: string): void {
    if (!run.isOver) this.submit({ type: 'tool.logged', node: run.effect.node, message });
  }
}

/** An event at its place and time. Those that every node has were made with room for both, and are not copied. */
function placeEvent(payload: EventPayload, seq: number, at: number): FlightEvent {
  if (!('seq' in payload)) return { seq, at, ...payload } as FlightEvent;
  const event = payload as unknown as { seq: number; at: number };
  event.seq = seq;
  event.at = at;
  return payload as FlightEvent;
}
