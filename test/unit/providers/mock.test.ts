import { describe, expect, it, vi } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { section } from '../../../src/contracts/section.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { defineMock } from '../../../src/providers/mock.ts';

function request(role: string, content = ''): ModelRequest {
  return { role, model: '', messages: [{ role: 'user', content }], maxOutputTokens: 100 };
}

const context = { key: 'plan/1', signal: new AbortController().signal };

describe('defineMock', () => {
  it('hands a role the request, its sections and the key', async () => {
    const mock = defineMock({
      roles: {
        planner: ({ model }, { section: read, key }) =>
          JSON.stringify([model, read('goal'), read('none') ?? null, key]),
      },
    });
    const answer = await mock.complete(request('planner', section('goal', 'win <all>')), context);
    expect(answer.text).toBe('["","win <all>",null,"plan/1"]');
  });

  it('estimates usage from lengths, the same each time, and costs nothing', async () => {
    const mock = defineMock({ roles: { planner: () => 'twelve chars' } });
    const answers = [
      await mock.complete(request('planner', 'x'.repeat(41)), context),
      await mock.complete(request('planner', 'x'.repeat(41)), context),
    ];
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.usage).toEqual({ inputTokens: 11, outputTokens: 3, estimated: true });
    expect(mock.priceOf?.('any')).toEqual({ inputPerMTok: 0, outputPerMTok: 0 });
  });

  it('takes a whole answer', async () => {
    const usage = { inputTokens: 5, outputTokens: 7 };
    const toolCalls = [{ id: '1', name: 'add', args: { a: 1 } }];
    const mock = defineMock({
      name: 'm',
      roles: { a: () => ({ text: 'cut', stop: 'length', usage }), b: () => Promise.resolve({ toolCalls }) },
    });
    expect(await mock.complete(request('a'), context)).toEqual({
      text: 'cut',
      stop: 'length',
      usage,
      model: 'm',
      provider: 'm',
    });
    expect(await mock.complete(request('b'), context)).toMatchObject({
      text: '',
      toolCalls,
      stop: 'tool_calls',
    });
  });

  it.each([undefined, null, 7])('names a role that returns %s', async (reply) => {
    const mock = defineMock({ name: 'm', roles: { planner: () => reply as unknown as string } });
    await expect(mock.complete(request('planner'), context)).rejects.toMatchObject({
      code: 'module_failed',
      message: `role "planner" of provider "m" returned ${String(reply)}, which is no answer`,
    });
  });

  it('names an unscripted role and those that exist', async () => {
    const mock = defineMock({ roles: { planner: () => '', critic: () => '' } });
    const failure = mock.complete(request('poet'), context);
    await expect(failure).rejects.toMatchObject({
      code: 'model_unscripted',
      message: 'provider "mock" has no script for the role "poet" (it has: planner, critic)',
    });
    await expect(mock.complete(request('constructor'), context)).rejects.toMatchObject({
      code: 'model_unscripted',
    });
  });

  it('says which role threw, and passes on typed errors', async () => {
    const typed = new OrchestratorError('model_overloaded', 'busy');
    const mock = defineMock({
      roles: {
        a: () => {
          throw new TypeError('x is undefined');
        },
        b: () => Promise.reject(typed),
      },
    });
    await expect(mock.complete(request('a'), context)).rejects.toMatchObject({
      code: 'module_failed',
      message: 'role "a" of provider "mock" threw: x is undefined',
    });
    await expect(mock.complete(request('b'), context)).rejects.toBe(typed);
  });

  it('waits for its latency, unless it is aborted', async () => {
    const role = vi.fn(() => 'late');
    const mock = defineMock({ roles: { a: role }, latencyMs: 60_000 });
    const controller = new AbortController();
    const call = mock.complete(request('a'), { key: 'k', signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(role).not.toHaveBeenCalled();
  });
});
