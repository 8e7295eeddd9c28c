import type { Price } from './budget.ts';
import type { Json } from '../kernel/json.ts';
import type { RecalledContext, RecallRequest } from './memory.ts';
import type { ModelAnswer, ModelRequest, Usage } from './model.ts';

/** What every event carries: its place in the log, and its time in epoch milliseconds with fractions. */
export interface LoggedEvent {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
}

/** The log of one run, open for writing by this process alone. */
export interface FlightLog<E extends LoggedEvent = LoggedEvent> {
  /** Takes the next event (seq = last + 1) into the pending batch. Throws `log_write_failed` after a failed write. */
  append(event: E): void;
  /** Sequence of the last event that is durable; -1 before the first. */
  readonly durableSeq: number;
  /** Resolves when the event of that sequence is durable; rejects with `log_write_failed`. */
  whenDurable(seq: number): Promise<void>;
  /** Makes everything durable and lets go of the run. */
  close(): Promise<void>;
}

/** A run opened for writing: what it holds so far, and its log. */
export interface OpenRun<E extends LoggedEvent = LoggedEvent> {
  readonly runId: string;
  /** The folder of the run where it has one. */
  readonly folder: string | null;
  readonly events: readonly E[];
  readonly log: FlightLog<E>;
  /** Writes a file beside the log, whole or not at all, such as `report.md`. */
  writeArtifact(name: string, content: string): Promise<void>;
  /**
   * Hands over what others have posted, oldest first, and removes it once `accept` resolves: what was handed over just
   * before a crash comes again. What is no JSON is passed over.
   */
  takeInbox(accept: (posted: readonly Json[]) => Promise<void>): Promise<void>;
}

/** Where runs are kept. Ids may be given as a unique prefix, or as `last`. */
export interface RunStore<E extends LoggedEvent = LoggedEvent> {
  /** A new run; throws `run_exists`. */
  create(runId: string): Promise<OpenRun<E>>;
  /** An existing run for writing; a torn tail is cut off. Throws `run_not_found`, `run_locked`, `log_corrupt`. */
  open(run: string): Promise<OpenRun<E>>;
  /** The events of a run, without taking it. Throws `run_not_found`, `log_corrupt`. */
  read(run: string): Promise<readonly E[]>;
  /**
   * What `from` makes of the events of a run. It is kept under that name (of a-z, 0-9 and -) until the log changes, so
   * that the log need not be read for it again. Throws as `read` does.
   */
  derive(run: string, name: string, from: (events: readonly E[]) => Json): Promise<Json>;
  /** Whether a process holds the run for writing, and lives. Throws `run_not_found`. */
  isHeld(run: string): Promise<boolean>;
  /** Drops a value into the inbox of a run, whole or not at all, whoever holds the run. Throws `run_not_found`. */
  post(run: string, content: Json): Promise<void>;
  /** Full id of a run; throws `run_not_found`, naming the candidates where the prefix is ambiguous. */
  resolve(run: string): Promise<string>;
  /** Ids, newest first. */
  list(): Promise<readonly string[]>;
  /** Removes a run with everything in it; throws `run_locked` while it is written. */
  remove(run: string): Promise<void>;
}

/** What a provider is given beside the request. */
export interface ProviderContext {
  readonly signal: AbortSignal;
  /** The key of this effect: an idempotency key where the API takes one. */
  readonly key: string;
  /** Called with each piece of text of a streamed answer. */
  onDelta?(text: string): void;
  /** Called with what was used as far as it is known, cumulative: a call that fails or is aborted may have been charged. */
  onUsage?(usage: Usage): void;
  /** Called where the call has to wait for its turn, as under a rate limit; its own time begins with its turn. */
  onWait?(): void;
  /** Called when the turn has come that was waited for. */
  onTurn?(): void;
  /** Called with what the provider had to leave out of the request, in a sentence for people. */
  onWarning?(text: string): void;
}

/** Where models run. A provider makes one attempt; it throws an OrchestratorError whose class says what may follow. */
export interface Provider {
  readonly name: string;
  /** No model runs behind it: its answers are computed, scripted or recorded. */
  readonly isStandIn?: boolean;
  complete(request: ModelRequest, context: ProviderContext): Promise<ModelAnswer>;
  /** Fetches a fresh key; throws where it cannot. */
  refreshCredential?(): Promise<void>;
  /** Price of a model where the provider knows it, such as zero for a mock. */
  priceOf?(model: string): Price | undefined;
}

/** What runs remember, as the engine sees it. */
export interface Memory {
  /** The context of one model call; it may fail or take its time, and the call is then made without. */
  recall(request: RecallRequest): Promise<RecalledContext>;
}

/** Time as the engine sees it. */
export interface Clock {
  /** Epoch milliseconds with fractions; never runs backwards within a process. */
  now(): number;
  /** Calls back once after so many milliseconds; returns what cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
}

/** Randomness as the engine sees it: a draw in [0, 1), recorded where it is used. */
export interface Random {
  draw(): number;
}
