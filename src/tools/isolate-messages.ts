import { type Failure, toFailure } from '../contracts/failure.ts';
import type { AskRequest } from '../contracts/model.ts';
import type { TraceCarrier } from '../contracts/tool.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';

/** How a thread finds its tool. */
export interface ThreadSettings {
  /** Path of the module that holds the tool. */
  readonly file: string;
  readonly tool: string;
}

/** What a thread is told. */
export type ThreadInput =
  | {
      readonly type: 'call';
      readonly call: number;
      readonly args: Json;
      readonly key: string;
      readonly idempotencyKey: string;
      readonly workspace: string;
      readonly trace: TraceCarrier | undefined;
    }
  | ({ readonly type: 'answer'; readonly ask: number } & Settled<string>);

/** What a thread tells. */
export type ThreadOutput =
  | { readonly type: 'log'; readonly call: number; readonly message: string }
  | {
      readonly type: 'ask';
      readonly call: number;
      readonly ask: number;
      readonly role: string;
      readonly request: AskRequest;
    }
  | ({ readonly type: 'ended'; readonly call: number } & Settled<Json>);

/** A settled promise as plain data. */
export type Settled<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** How a promise settled; never rejects. */
export async function settle<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await promise };
  } catch (error) {
    return { ok: false, failure: toFailure(error) };
  }
}

/** The value of a settled promise; throws its failure as an error of the same code and class. */
export function unwrap<T>(settled: Settled<T>): T {
  if (settled.ok) return settled.value;
  const { code, class: retry, message, details, retryAfterMs } = settled.failure;
  throw new OrchestratorError(code, message, {
    retry,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}
