import { type Failure, toFailure } from '../contracts/failure.ts';
import type { ModelAnswer, Usage } from '../contracts/model.ts';
import type { Effect } from '../run/effects.ts';
import { RunningCall } from './running-call.ts';

type ModelEffect = Extract<Effect, { kind: 'callModel' }>;

/** What a model call needs of the driver. */
export interface ModelRunHost {
  readonly graceMs: number;
  finishModel(run: ModelRun, outcome: { answer: ModelAnswer } | { failure: Failure }): void;
  warnOf(run: ModelRun, message: string): void;
  abortModel(run: ModelRun, failure: Failure): void;
  /** The deadline of the call has moved. */
  watchModel(run: ModelRun): void;
}

/** One model call under way. */
export class ModelRun extends RunningCall {
  readonly effect: ModelEffect;
  /** What the provider said so far that the call has used. */
  usage: Usage | undefined = undefined;
  readonly #host: ModelRunHost;
  readonly #latestAt: number;
  #isWaiting = false;

  /** `latestAt` is when the run's own time is over, in epoch milliseconds. */
  constructor(effect: ModelEffect, startedAt: number, latestAt: number, host: ModelRunHost) {
    super(startedAt + effect.timeoutMs, host.graceMs);
    this.effect = effect;
    this.#latestAt = latestAt;
    this.#host = host;
  }

  /** Notes that the call waits for its turn, which takes none of its time. */
  wait(): void {
    this.#isWaiting = true;
  }

  /** Notes that the turn of the call has come: its time begins. */
  takeTurn(now: number): void {
    this.#isWaiting = false;
    if (this.failure === null) this.#beginAgain(now);
  }

  #beginAgain(now: number): void {
    this.deadlineAt = Math.min(now + this.effect.timeoutMs, this.#latestAt);
    this.#host.watchModel(this);
  }

  /** Notes what the provider warns of. */
  warn(message: string): void {
    this.#host.warnOf(this, message);
  }

  /** Reports the answer, or the abort that came before it. */
  readonly succeed = (answer: ModelAnswer): void => {
    this.#host.finishModel(this, this.failure === null ? { answer } : { failure: this.failure });
  };

  /** Reports what the provider threw, or the abort that came before it. */
  readonly fail = (thrown: unknown): void => {
    this.#host.finishModel(this, { failure: this.failure ?? toModelFailure(thrown) });
  };

  override expire(now: number): void {
    if (this.#isWaiting && this.failure === null && now < this.#latestAt) {
      this.#beginAgain(now);
      return;
    }
    const message = `no answer within ${this.effect.timeoutMs} ms`;
    if (this.failure === null) this.#host.abortModel(this, { code: 'timeout', class: 'TRANSIENT', message });
    else this.#host.finishModel(this, { failure: this.failure });
  }
}

/** An error of the network below a provider is the provider's, not a tool's. */
function toModelFailure(thrown: unknown): Failure {
  const failure = toFailure(thrown);
  if (failure.code === 'tool_transient') return { ...failure, code: 'model_unreachable' };
  return failure.code === 'tool_failed' ? { ...failure, code: 'model_bad_request' } : failure;
}
