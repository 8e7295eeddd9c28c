import { cutText } from '../../kernel/cut-text.ts';
import { type ErrorCode, OrchestratorError } from '../../kernel/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { objectAt, textAt } from './json-fields.ts';
import { readRetryAfter } from './retry-after.ts';

/** Codes that APIs give as the type or the code of an error. What they do not say, the HTTP status does. */
const CODE_OF_KIND = new Map<string, ErrorCode>([
  ['overloaded_error', 'model_overloaded'],
  ['rate_limit_error', 'model_overloaded'],
  ['rate_limit_exceeded', 'model_overloaded'],
  ['api_error', 'model_overloaded'],
  ['server_error', 'model_overloaded'],
  ['timeout_error', 'model_overloaded'],
  ['authentication_error', 'model_unauthorized'],
  ['permission_error', 'model_unauthorized'],
  ['invalid_api_key', 'model_unauthorized'],
  ['invalid_request_error', 'model_bad_request'],
  ['invalid_prompt', 'model_bad_request'],
  ['not_found_error', 'model_bad_request'],
  ['model_not_found', 'model_bad_request'],
  ['context_length_exceeded', 'model_bad_request'],
]);

/** Kinds that mean an exhausted account, whatever the status beside them (a 429 among them). */
const QUOTA_KINDS: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'billing_error',
  'billing_hard_limit_reached',
  'contract_spend_limit_reached',
  'enforced_spend_limit_reached',
  'linked_organization_billing_unavailable',
  'linked_organization_spend_limit_reached',
]);

/** What a server says of an error, wherever it says it. */
export interface ApiErrorReport {
  readonly provider: string;
  readonly status?: number | undefined;
  /** The error object of the body: `type`, `code` and `message`. */
  readonly error?: unknown;
  readonly headers?: Headers | undefined;
  readonly cause?: unknown;
}

/** The typed error for what a server reported; its class comes from status and typed codes, never from the message. */
export function reportedError({
  provider,
  status,
  error,
  headers,
  cause,
}: ApiErrorReport): OrchestratorError {
  const body = unwrapBody(error);
  const kinds = [
    textAt(objectAt(body, 'details'), 'error_code'),
    textAt(body, 'code'),
    textAt(body, 'type'),
  ].filter((kind) => kind !== '');
  const statusGiven = status ?? numericCode(body['code']);
  const code = classify(statusGiven, kinds);
  const kind = kinds[0];
  const said = cutText(textAt(body, 'message').trim(), 300);
  const what = [statusGiven, kind === undefined ? undefined : `(${kind})`].filter(
    (part) => part !== undefined,
  );
  const retryAfterMs = readRetryAfter(headers);
  const requestId = headers?.get('request-id') ?? headers?.get('x-request-id');
  const hint = statusGiven === 404 ? 'Check the name of the model and baseUrl.' : undefined;
  return new OrchestratorError(
    code,
    `${provider} answered ${what.join(' ') || 'with an error'}${said === '' ? '' : `: ${said}`}`,
    {
      details: {
        provider,
        ...(statusGiven === undefined ? {} : { status: statusGiven }),
        ...(kind === undefined ? {} : { type: kind }),
        ...(requestId === null || requestId === undefined ? {} : { requestId }),
      },
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(hint === undefined ? {} : { hint }),
      cause,
    },
  );
}

/** The typed error for what an SDK threw; anything that no server said is given back as it is. */
export function toApiError(thrown: unknown, provider: string): unknown {
  if (thrown instanceof OrchestratorError || !(thrown instanceof Error)) return thrown;
  if (thrown instanceof SyntaxError) {
    return malformedAnswer(provider, 'the answer is no JSON', { cause: thrown });
  }
  const { status, error, headers } = thrown as { status?: unknown; error?: unknown; headers?: unknown };
  if (typeof status !== 'number' && error === undefined) return thrown;
  return reportedError({
    provider,
    status: typeof status === 'number' ? status : undefined,
    error,
    headers: headers instanceof Headers ? headers : undefined,
    cause: thrown,
  });
}

/**
 * An answer that has not the form of one. It is worth one more attempt: nothing of it was used, and the next sample
 * of a model is another one.
 */
export function malformedAnswer(
  provider: string,
  what: string,
  { details = {}, cause }: { details?: { readonly [key: string]: Json }; cause?: unknown } = {},
): OrchestratorError {
  return new OrchestratorError('model_malformed', `${provider}: ${what}`, {
    retry: 'TRANSIENT',
    details: { provider, ...details },
    cause,
  });
}

/** The stream ended, but the answer had not: nothing of it counts. */
export function unfinishedAnswer(provider: string, marker: string): OrchestratorError {
  return new OrchestratorError('model_unreachable', `the stream of ${provider} ended before ${marker}`, {
    details: { provider, missing: marker },
  });
}

function classify(status: number | undefined, kinds: readonly string[]): ErrorCode {
  if (kinds.some((kind) => QUOTA_KINDS.has(kind))) return 'model_quota';
  if (status === undefined) {
    const known = kinds.map((kind) => CODE_OF_KIND.get(kind)).find((code) => code !== undefined);
    return known ?? 'model_overloaded';
  }
  if (status === 401 || status === 403) return 'model_unauthorized';
  if (status === 402) return 'model_quota';
  return status === 408 || status === 409 || status === 429 || status >= 500
    ? 'model_overloaded'
    : 'model_bad_request';
}

/** Some servers put the HTTP status into the body of a 200. */
function numericCode(code: Json | undefined): number | undefined {
  const value = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof value === 'number' && value >= 400 && value < 600 ? value : undefined;
}

/** `{"error": {…}}` and the error itself are both met. */
function unwrapBody(error: unknown): JsonObject {
  if (!isJsonObject(error)) return {};
  return isJsonObject(error['error']) ? error['error'] : error;
}
