import { describe, expect, it } from 'vitest';
import { modelAnswerSchema, type ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { OrchestratorError } from '../../src/kernel/errors.ts';
import { defineMock } from '../../src/providers/mock.ts';
import { rateLimited } from '../../src/providers/rate-limit.ts';
import { ScriptedProvider } from '../../src/providers/scripted.ts';

const busy = new OrchestratorError('model_overloaded', 'busy', { retryAfterMs: 5 });

/** Each answers `fine` in the role `good`, fails as busy in `bad`, and never answers in `slow`. */
const IMPLEMENTATIONS: Record<string, () => Provider> = {
  mock: createMock,
  scripted: () =>
    new ScriptedProvider([
      { role: 'good', reply: 'fine' },
      { role: 'bad', reply: busy },
      { role: 'slow', reply: new Promise(() => undefined) },
    ]),
  'rate-limited': () => rateLimited(createMock(), { requestsPerMinute: 100 }),
};

function createMock(): Provider {
  const steady = defineMock({ roles: { good: () => 'fine', bad: () => Promise.reject(busy) } });
  const slow = defineMock({ roles: { slow: () => 'late' }, latencyMs: 3_600_000 });
  return {
    ...steady,
    complete: (request, context) => (request.role === 'slow' ? slow : steady).complete(request, context),
  };
}

function request(role: string): ModelRequest {
  return { role, model: 'some-model', messages: [{ role: 'user', content: 'Hello.' }], maxOutputTokens: 100 };
}

describe.each(Object.entries(IMPLEMENTATIONS))('provider %s', (_name, create) => {
  it('answers with everything that the log wants', async () => {
    const answer = await create().complete(request('good'), {
      key: 'k',
      signal: new AbortController().signal,
    });
    expect(modelAnswerSchema.parse(answer)).toMatchObject({
      text: 'fine',
      stop: 'stop',
      model: 'some-model',
    });
  });

  it('makes one attempt and throws a typed error', async () => {
    await expect(
      create().complete(request('bad'), { key: 'k', signal: new AbortController().signal }),
    ).rejects.toBe(busy);
  });

  it('rejects with the reason when it is aborted', async () => {
    const controller = new AbortController();
    const call = create().complete(request('slow'), { key: 'k', signal: controller.signal });
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 5);
    await expect(call).rejects.toBe(reason);
  });

  it('does not start when it is aborted already', async () => {
    const reason = new Error('enough');
    const call = create().complete(request('good'), { key: 'k', signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  it('knows its price', () => {
    expect(create().priceOf?.('some-model')).toEqual({ inputPerMTok: 0, outputPerMTok: 0 });
  });
});
