import type { Failure } from '../contracts/failure.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Expiring } from './deadlines.ts';

/** A call under way: its deadline, its abort signal (made only when asked for), and why it was aborted. */
export abstract class RunningCall implements Expiring {
  deadlineAt: number;
  /** Why the call was aborted; null while it may still end by itself. */
  failure: Failure | null = null;
  /** True once its end was reported; whatever comes later is dropped. */
  isOver = false;
  readonly #graceMs: number;
  #controller: AbortController | null = null;

  constructor(deadlineAt: number, graceMs: number) {
    this.deadlineAt = deadlineAt;
    this.#graceMs = graceMs;
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.failure !== null) this.#controller.abort(toError(this.failure));
    }
    return this.#controller.signal;
  }

  /** Aborts the call; it may take its grace to return. A second abort changes nothing. */
  abort(failure: Failure, now: number): void {
    if (this.failure !== null || this.isOver) return;
    this.failure = failure;
    this.deadlineAt = now + this.#graceMs;
    this.#controller?.abort(toError(failure));
  }

  /** Called at the deadline, and again when the grace after an abort is over. */
  abstract expire(now: number): void;
}

/** A failure as the error that code is given. */
export function toError(failure: Failure): OrchestratorError {
  return new OrchestratorError(failure.code, failure.message, {
    retry: failure.class,
    ...(failure.details === undefined ? {} : { details: failure.details }),
  });
}
