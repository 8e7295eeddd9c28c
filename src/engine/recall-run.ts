import { toFailure } from '../contracts/failure.ts';
import type { RecalledContext } from '../contracts/memory.ts';
import type { Effect } from '../run/effects.ts';
import { RunningCall } from './running-call.ts';

type RecallEffect = Extract<Effect, { kind: 'recall' }>;

/** What a recall needs of the driver. */
export interface RecallRunHost {
  finishRecall(run: RecallRun, context: RecalledContext, isLate: boolean): void;
}

/** One recall under way. Whatever becomes of it, its call goes on: at the deadline with nothing. */
export class RecallRun extends RunningCall {
  readonly effect: RecallEffect;
  readonly #host: RecallRunHost;

  constructor(effect: RecallEffect, startedAt: number, host: RecallRunHost) {
    super(startedAt + effect.timeoutMs, 0);
    this.effect = effect;
    this.#host = host;
  }

  /** Reports what was recalled. */
  readonly succeed = (context: RecalledContext): void => {
    this.#host.finishRecall(this, context, false);
  };

  /** Reports that nothing could be recalled. */
  readonly fail = (thrown: unknown): void => {
    this.#reportNothing(`nothing was recalled: ${toFailure(thrown).message}`, false);
  };

  override expire(): void {
    this.#reportNothing(`nothing was recalled within ${this.effect.timeoutMs} ms`, true);
  }

  #reportNothing(warning: string, isLate: boolean): void {
    this.#host.finishRecall(this, { text: '', included: [], warnings: [warning] }, isLate);
  }
}
