import type { Failure } from '../contracts/failure.ts';
import { toFailure } from '../contracts/failure.ts';
import type { AskRequest } from '../contracts/model.ts';
import type { KeptPlaces } from '../contracts/kept-places.ts';
import type { PermitsTarget, ToolContext, TraceCarrier } from '../contracts/tool.ts';
import type { ChildGroup, ProcessRequest } from '../contracts/process.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { attemptKey } from '../run/effect-key.ts';
import type { Effect } from '../run/effects.ts';
import type { CallProcesses } from './call-processes.ts';
import { RunningCall } from './running-call.ts';

type ToolEffect = Extract<Effect, { kind: 'callTool' }>;

/** What a call of a tool needs of the driver. */
export interface ToolRunHost {
  readonly workspace: string;
  readonly graceMs: number;
  /** What a tool returned, as plain JSON that meets its output schema; throws where it does not. */
  acceptResult(tool: string, returned: unknown): Json;
  finishTool(run: ToolRun, outcome: ToolOutcome): void;
  abortTool(run: ToolRun, failure: Failure): void;
  /** Logs that a hook changed the arguments of a call, which is then looked at anew. */
  amendTool(run: ToolRun, args: JsonObject): void;
  ask(run: ToolRun, role: string, request: AskRequest): Promise<string>;
  logFrom(run: ToolRun, message: string): void;
  spawnFor(run: ToolRun, request: ProcessRequest): Promise<ChildGroup>;
  traceOf(run: ToolRun): TraceCarrier | undefined;
  idempotencyKeyOf(run: ToolRun): string;
}

/** How a call of a tool ended. */
export type ToolOutcome =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly failure: Failure; readonly isLingering: boolean };

/** One call of a tool under way; it is also the context that the tool's code is given. */
export class ToolRun extends RunningCall implements ToolContext {
  readonly effect: ToolEffect;
  /** Its place among the calls under way. */
  place = -1;
  /** Asks made so far, and those without an answer. */
  asked = 0;
  openAsks: Set<string> | null = null;
  /** Programs that end with the call; null where it has started none. */
  processes: CallProcesses | null = null;
  permits: PermitsTarget | undefined = undefined;
  kept: KeptPlaces | undefined = undefined;
  readonly #host: ToolRunHost;

  constructor(effect: ToolEffect, startedAt: number, host: ToolRunHost) {
    super(startedAt + effect.timeoutMs, host.graceMs);
    this.effect = effect;
    this.#host = host;
  }

  get key(): string {
    return attemptKey(this.effect.node, this.effect.attempt);
  }

  /** The node that it is made for; empty for an agent that is talked to. */
  get nodeName(): string {
    return this.effect.node;
  }

  get idempotencyKey(): string {
    return this.#host.idempotencyKeyOf(this);
  }

  get workspace(): string {
    return this.#host.workspace;
  }

  // Made when they are asked for, and bound, so that code may take them out of its context.
  get ask(): ToolContext['ask'] {
    return (role, request) => this.#host.ask(this, role, request);
  }

  get log(): ToolContext['log'] {
    return (message) => {
      this.#host.logFrom(this, message);
    };
  }

  get spawn(): ToolContext['spawn'] {
    return (request) => this.#host.spawnFor(this, request);
  }

  get trace(): ToolContext['trace'] {
    return this.#host.traceOf(this);
  }

  /** Reports what the tool returned; the read that came after its deadline is dropped. */
  readonly succeed = (returned: unknown): void => {
    if (this.failure !== null && this.failure.code !== 'aborted' && !this.effect.keepsLateResult) {
      this.#host.finishTool(this, { ok: false, failure: this.failure, isLingering: false });
      return;
    }
    let value: Json;
    try {
      value = this.#host.acceptResult(this.effect.tool, returned);
    } catch (thrown) {
      this.fail(thrown);
      return;
    }
    this.#host.finishTool(this, { ok: true, value });
  };

  /** Reports the end of the call once the programs that it started have ended. */
  report(submit: () => void): void {
    const ending = this.#endProcesses();
    if (ending === null) submit();
    else void ending.then(submit);
  }

  /** Reports that a hook wants other arguments. */
  amend(args: JsonObject): void {
    this.#host.amendTool(this, args);
  }

  /** Reports what the tool threw, or the abort that came before it. */
  readonly fail = (thrown: unknown): void => {
    const failure = this.failure ?? toFailure(thrown);
    this.#host.finishTool(this, { ok: false, failure, isLingering: false });
  };

  override abort(failure: Failure, now: number): void {
    super.abort(failure, now);
    void this.#endProcesses();
  }

  /** Ends the programs of the call, within half of the grace: its code needs the rest to return. Null where there are none. */
  #endProcesses(): Promise<unknown> | null {
    return this.processes?.end(this.#host.graceMs / 2) ?? null;
  }

  override expire(): void {
    const { tool, timeoutMs } = this.effect;
    if (this.failure === null) {
      const message = `${tool} did not return within ${timeoutMs} ms`;
      this.#host.abortTool(this, { code: 'timeout', class: 'TRANSIENT', message });
    } else {
      this.#host.finishTool(this, { ok: false, failure: this.failure, isLingering: true });
    }
  }
}
