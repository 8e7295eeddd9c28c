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
import type { EventPayload, FlightEvent } from '../flight/events.ts';
import { decide, nextWake } from '../run/decide.ts';
import { evolve } from '../run/evolve.ts';
import { isOver, type RunState } from '../run/state.ts';
import { HeldEffects } from './held-effects.ts';
import { InputQueue, type LateInput } from './input-queue.ts';
import { notify } from './notify.ts';
import type { EnginePorts } from './ports.ts';
import { UnderWay } from './under-way.ts';

const LONGEST_TURN_MS = 10;

/** Drives a run from the state that it is given to its end, or to an interruption. */
export class Driver {
  readonly #state: RunState;
  readonly #ports: EnginePorts;
  readonly #inputs = new InputQueue();
  readonly #held: HeldEffects;
  readonly #underWay: UnderWay;
  #isPumping = false;
  #turnStartedAt: number;
  #wakeAt = Infinity;
  #cancelWake: (() => void) | null = null;
  #settle: { resolve: (state: RunState) => void; reject: (error: unknown) => void } | null = null;
  #hasFailed = false;

  constructor(state: RunState, ports: EnginePorts) {
    this.#state = state;
    this.#ports = ports;
    this.#underWay = new UnderWay(state, ports, (payload) => {
      this.submit(payload);
    });
    this.#turnStartedAt = ports.clock.now();
    this.#held = new HeldEffects(
      ports.log,
      (effect) => {
        if (!this.#hasFailed) this.#underWay.begin(effect);
      },
      (error) => this.#failRun(error),
    );
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

  /** Queues inputs that follow from the state at the time when they are folded; none where it no longer wants them. */
  submitFrom(make: LateInput): void {
    this.#inputs.push((state) => make(state).map((payload) => this.#ports.mask?.(payload) ?? payload));
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
        const input = this.#inputs.take(state);
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

  #append(payload: EventPayload): void {
    const event = placeEvent(payload, this.#state.lastSeq + 1, this.#ports.clock.now());
    this.#ports.log.append(event);
    evolve(this.#state, event);
    if (event.type === 'cancel.requested') this.#abortAll(`cancelled: ${event.reason}`);
    else this.#underWay.follow(event);
    notify(this.#ports, event, this.#state);
  }

  #rest(): void {
    this.#isPumping = false;
    const state = this.#state;
    if (isOver(state)) {
      void this.#finish();
      return;
    }
    const { retrying, openCalls, questions, crew } = state;
    if (retrying.length === 0 && openCalls.length === 0 && questions.size + crew.size === 0) return;
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
    this.#abortAll('the run cannot go on');
    this.#close();
    this.#settle?.reject(error);
    this.#settle = null;
  }

  #close(): void {
    this.#underWay.close();
    this.#cancelWake?.();
    this.#cancelWake = null;
  }

  #abortAll(message: string): void {
    const failure: Failure = { code: 'aborted', class: 'PERMANENT', message };
    this.#underWay.abortAll(failure);
    for (const effect of this.#held.dropAll()) this.#underWay.reportDropped(effect, failure);
  }
}

/** An event at its place and time. Those that every node has were made with room for both, and are not copied. */
function placeEvent(payload: EventPayload, seq: number, at: number): FlightEvent {
  if (!('seq' in payload)) return { seq, at, ...payload };
  const event = payload as unknown as { seq: number; at: number };
  event.seq = seq;
  event.at = at;
  return payload as FlightEvent;
}
