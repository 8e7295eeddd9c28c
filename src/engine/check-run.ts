import { type Failure, toFailure } from '../contracts/failure.ts';
import type { CheckResult } from '../contracts/verdict.ts';
import type { Effect } from '../run/effects.ts';
import { RunningCall } from './running-call.ts';

type CheckEffect = Extract<Effect, { kind: 'callCheck' }>;

/** What a function check needs of the driver. */
export interface CheckRunHost {
  finishCheck(run: CheckRun, result: CheckResult): void;
}

/** One function check under way. It is given no signal, so at its deadline it is left to itself at once. */
export class CheckRun extends RunningCall {
  readonly effect: CheckEffect;
  readonly #host: CheckRunHost;

  constructor(effect: CheckEffect, startedAt: number, host: CheckRunHost) {
    super(startedAt + effect.timeoutMs, 0);
    this.effect = effect;
    this.#host = host;
  }

  /** Reports what the check returned. */
  readonly succeed = (result: CheckResult): void => {
    this.#host.finishCheck(this, result);
  };

  /** Reports a check that threw: it does not hold. */
  readonly fail = (thrown: unknown): void => {
    this.#report(toFailure(thrown));
  };

  override expire(): void {
    const message = `did not return within ${this.effect.timeoutMs} ms`;
    this.#report({ code: 'timeout', class: 'PERMANENT', message });
  }

  #report({ message }: Failure): void {
    this.#host.finishCheck(this, { name: `function ${this.effect.source}`, ok: false, message });
  }
}
