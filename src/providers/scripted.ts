import type { ModelAnswer, ModelRequest } from '../contracts/model.ts';
import type { Provider, ProviderContext } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';

/** What a step of a script does: a text, more of an answer, a failure, or a promise that the test settles when it likes. */
export type ScriptedReply = string | Partial<ModelAnswer> | OrchestratorError;

/** One expected call. */
export interface ScriptStep {
  /** The role that must ask; any where not given. */
  readonly role?: string;
  readonly reply:
    | ScriptedReply
    | Promise<ScriptedReply>
    | ((request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>);
}

/** A call that a scripted provider received. */
export interface ScriptedCall {
  readonly request: ModelRequest;
  readonly key: string;
}

/**
 * A provider for tests. Each call takes the first step left whose role fits, so that steps of one role are taken in
 * order. A call without a step fails with `model_unscripted`; `assertConsumed` throws for it and for steps left over.
 */
export class ScriptedProvider implements Provider {
  readonly name = 'scripted';
  readonly isStandIn = true;
  /** Every call so far, unexpected ones included. */
  readonly calls: ScriptedCall[] = [];
  readonly #steps: ScriptStep[];
  readonly #unexpected: string[] = [];

  constructor(steps: readonly ScriptStep[]) {
    this.#steps = [...steps];
  }

  /** Free of charge. */
  priceOf(): { inputPerMTok: number; outputPerMTok: number } {
    return { inputPerMTok: 0, outputPerMTok: 0 };
  }

  async complete(request: ModelRequest, { signal, key }: ProviderContext): Promise<ModelAnswer> {
    signal.throwIfAborted();
    this.calls.push({ request, key });
    const index = this.#steps.findIndex(({ role }) => role === undefined || role === request.role);
    const [step] = index < 0 ? [] : this.#steps.splice(index, 1);
    if (step === undefined) {
      this.#unexpected.push(`${request.role} (${key})`);
      throw new OrchestratorError(
        'model_unscripted',
        `no step is left for the role "${request.role}" (${key})`,
        {
          details: { role: request.role, key },
          hint: 'Add a step to the script.',
        },
      );
    }
    const { reply } = step;
    const settled = await untilAborted(typeof reply === 'function' ? reply(request) : reply, signal);
    if (settled instanceof OrchestratorError) throw settled;
    return {
      text: '',
      stop: 'stop',
      usage: { inputTokens: 10, outputTokens: 10 },
      model: request.model || this.name,
      provider: this.name,
      ...(typeof settled === 'string' ? { text: settled } : settled),
    };
  }

  /** Throws where steps are left over or calls had no step, naming them. */
  assertConsumed(): void {
    const left = this.#steps.map(({ role }) => role ?? 'any role');
    const faults = [
      ...(left.length > 0 ? [`steps left over: ${left.join(', ')}`] : []),
      ...(this.#unexpected.length > 0 ? [`unexpected calls: ${this.#unexpected.join(', ')}`] : []),
    ];
    if (faults.length > 0) throw new Error(`the script was not followed; ${faults.join('; ')}`);
  }
}

async function untilAborted<T>(value: T | Promise<T>, signal: AbortSignal): Promise<T> {
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([value, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener('abort', abort);
  }
}
