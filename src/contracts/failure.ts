import { z } from 'zod';
import { type ErrorCode, type FailureClass, OrchestratorError } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import { jsonValue } from './json-value.ts';

/** A failure as plain data: error code, class, message for people, details for programs. */
export interface Failure {
  readonly code: ErrorCode;
  readonly class: FailureClass;
  readonly message: string;
  readonly details?: { readonly [key: string]: Json };
  readonly retryAfterMs?: number;
}

/** The schema of a failure in the log. */
export const failureSchema = z.strictObject({
  code: z.string(),
  class: z.enum(['TRANSIENT', 'TOOL_MISUSE', 'MISSING_INFO', 'POLICY', 'PERMANENT']),
  message: z.string(),
  details: z.record(z.string(), jsonValue).optional(),
  retryAfterMs: z.number().optional(),
}) as unknown as z.ZodType<Failure>;

const TRANSIENT_SYSTEM_CODES: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The failure that a thrown value stands for; its class comes from typed codes, never from its message. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof OrchestratorError) {
    return {
      code: thrown.code,
      class: thrown.retry,
      message: thrown.message,
      ...(Object.keys(thrown.details).length > 0 ? { details: thrown.details } : {}),
      ...(thrown.retryAfterMs === undefined ? {} : { retryAfterMs: thrown.retryAfterMs }),
    };
  }
  const message = messageOf(thrown);
  if (isTransientSystemError(thrown)) return { code: 'tool_transient', class: 'TRANSIENT', message };
  return { code: 'tool_failed', class: 'PERMANENT', message };
}

function isTransientSystemError(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth++) {
    if (TRANSIENT_SYSTEM_CODES.has((error as { code?: unknown }).code)) return true;
  }
  return false;
}

function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message;
  } catch {
    return 'threw an error whose message cannot be read';
  }
  if (typeof thrown === 'string') return `threw ${JSON.stringify(thrown.slice(0, 200))}`;
  if (thrown === null || thrown === undefined) return `threw ${String(thrown)}`;
  return `threw ${typeof thrown === 'object' ? 'an object that is no error' : `a ${typeof thrown}`}`;
}
