import type { Price } from '../contracts/budget.ts';
import type { Failure } from '../contracts/failure.ts';
import type { ModelAnswer, ModelRequest } from '../contracts/model.ts';
import type { Provider } from '../contracts/ports.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { hashJson } from '../kernel/hash.ts';
import type { Json } from '../kernel/json.ts';
import { FREE } from './prices.ts';

/** An event of a finished run; those of model calls are read, any other is passed over. */
export interface RecordedEvent {
  readonly type: string;
  readonly key?: unknown;
  readonly request?: unknown;
  readonly model?: unknown;
  readonly answer?: unknown;
  readonly failure?: unknown;
  readonly task?: unknown;
}

interface Recording {
  readonly answers: ModelAnswer[];
  failure: Failure | null;
  served: number;
}

/**
 * A provider that gives the answers of a finished run again, by the hash of the request: in their order where a
 * request was made more than once, the last one from then on. A request that names no model is that of any model that
 * the run asked. One that the run did not make is `model_unscripted`, naming role and hash. It costs what the run's own
 * prices say, so that budgets decide the same.
 */
export function createRecorded(name: string, events: readonly RecordedEvent[]): Provider {
  const { recordings, prices, models } = readRecordings(events);
  const [onlyModel = ''] = models.size === 1 ? models : [];
  return {
    name,
    isStandIn: true,
    priceOf: (model) => prices[model === '' ? onlyModel : model] ?? FREE,
    async complete(request, context) {
      context.signal.throwIfAborted();
      await Promise.resolve();
      const hash = hashJson(request as unknown as Json);
      const recording = recordings.get(hash) ?? findByModel(recordings, request, models);
      const answer = recording?.answers[Math.min(recording.served, recording.answers.length - 1)];
      if (recording !== undefined) recording.served++;
      if (answer !== undefined) {
        if (answer.text !== '') context.onDelta?.(answer.text);
        return answer;
      }
      const failure = recording?.failure ?? null;
      throw failure === null ? unseenRequest(name, request.role, hash) : toError(failure);
    },
  };
}

/** A provider's entry may have named the models, which `recorded:` in its place does not. */
function findByModel(
  recordings: ReadonlyMap<string, Recording>,
  request: ModelRequest,
  models: ReadonlySet<string>,
): Recording | undefined {
  if (request.model !== '') return undefined;
  for (const model of models) {
    const recording = recordings.get(hashJson({ ...request, model } as unknown as Json));
    if (recording !== undefined) return recording;
  }
  return undefined;
}

function unseenRequest(name: string, role: string, hash: string): OrchestratorError {
  return new OrchestratorError(
    'model_unscripted',
    `${name} has no answer for this request of the role "${role}" (${hash.slice(0, 12)}…): that run did not make it`,
    {
      details: { role, request: hash },
      hint: 'Run the same task with the same inputs and models, or record a new run.',
    },
  );
}

function toError({ code, class: retry, message, details, retryAfterMs }: Failure): OrchestratorError {
  return new OrchestratorError(code, message, {
    retry,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function readRecordings(events: readonly RecordedEvent[]): {
  recordings: ReadonlyMap<string, Recording>;
  prices: Readonly<Record<string, Price>>;
  /** Every model that was asked. */
  models: ReadonlySet<string>;
} {
  const recordings = new Map<string, Recording>();
  const recordingOfKey = new Map<unknown, Recording>();
  const models = new Set<string>();
  let prices: Readonly<Record<string, Price>> = {};
  for (const { type, key, request, model, answer, failure, task } of events) {
    const recording = recordingOfKey.get(key);
    switch (type) {
      case 'run.started':
        prices = (task as { prices: Record<string, Price> }).prices;
        break;
      case 'model.requested': {
        const known = recordings.get(request as string) ?? { answers: [], failure: null, served: 0 };
        recordings.set(request as string, known);
        recordingOfKey.set(key, known);
        if (typeof model === 'string') models.add(model);
        break;
      }
      case 'model.answered':
        recording?.answers.push(answer as ModelAnswer);
        break;
      case 'model.failed':
        if (recording !== undefined) recording.failure = failure as Failure;
    }
  }
  return { recordings, prices, models };
}
