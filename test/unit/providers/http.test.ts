import { describe, expect, it } from 'vitest';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { reportedError, toApiError } from '../../../src/providers/http/api-error.ts';
import { readRetryAfter } from '../../../src/providers/http/retry-after.ts';

describe('readRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, 90_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [{ 'retry-after': '9', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{}, undefined],
  ])('reads %o as %s', (headers, expected) => {
    expect(readRetryAfter(new Headers(headers as Record<string, string>), now)).toBe(expected);
  });
});

describe('reportedError', () => {
  it.each([
    [
      { error: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
      'model_overloaded',
    ],
    [{ error: { type: 'api_error' } }, 'model_overloaded'],
    [{ error: { code: 'rate_limit_exceeded' } }, 'model_overloaded'],
    [{ error: { code: 429, message: 'busy' } }, 'model_overloaded'],
    [{ error: { code: '502' } }, 'model_overloaded'],
    [{ error: { type: 'something_new' } }, 'model_overloaded'],
    [{ error: { type: 'authentication_error' } }, 'model_unauthorized'],
    [{ error: { code: 'invalid_prompt' } }, 'model_bad_request'],
    [{ error: { type: 'billing_error' } }, 'model_quota'],
    [
      {
        status: 429,
        error: { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } },
      },
      'model_quota',
    ],
    [{ status: 418, error: undefined }, 'model_bad_request'],
    [{ status: 503, error: 'gone' }, 'model_overloaded'],
  ])('%o is %s', (report, code) => {
    expect(reportedError({ provider: 'p', ...report })).toMatchObject({ code });
  });

  it('never goes by the words of the message', () => {
    const error = { type: 'invalid_request_error', message: 'rate limit, overloaded, insufficient_quota' };
    expect(reportedError({ provider: 'p', status: 400, error })).toMatchObject({
      code: 'model_bad_request',
      retry: 'PERMANENT',
    });
  });

  it('says who answered what, and which request it was', () => {
    const found = reportedError({
      provider: 'anthropic',
      status: 404,
      error: { error: { type: 'not_found_error', message: `model: nope ${'x'.repeat(1000)}` } },
      headers: new Headers({ 'request-id': 'req_1' }),
    });
    expect(found.message).toMatch(
      /^anthropic answered 404 \(not_found_error\): model: nope x+… \[cut: \d+ characters\]$/,
    );
    expect(found.message.length).toBeLessThan(400);
    expect(found).toMatchObject({
      details: { provider: 'anthropic', status: 404, type: 'not_found_error', requestId: 'req_1' },
      hint: 'Check the name of the model and baseUrl.',
    });
  });
});

describe('toApiError', () => {
  it('gives back what no server said', () => {
    const defect = new TypeError('x is undefined');
    expect(toApiError(defect, 'p')).toBe(defect);
    const typed = new OrchestratorError('model_empty', 'nothing');
    expect(toApiError(typed, 'p')).toBe(typed);
  });

  it('takes broken JSON for an answer worth one more attempt', () => {
    expect(toApiError(new SyntaxError('Unexpected end'), 'p')).toMatchObject({
      code: 'model_malformed',
      retry: 'TRANSIENT',
    });
  });
});
