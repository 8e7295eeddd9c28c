import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { createDeferred } from '../../../src/providers/deferred.ts';
import { ScriptedProvider } from '../../../src/providers/scripted.ts';

function request(role: string): ModelRequest {
  return { role, model: 'm', messages: [], maxOutputTokens: 10 };
}

const signal = new AbortController().signal;

describe('ScriptedProvider', () => {
  it('takes the first step left whose role fits', async () => {
    const provider = new ScriptedProvider([
      { role: 'planner', reply: 'plan' },
      { role: 'critic', reply: { text: 'fine', usage: { inputTokens: 1, outputTokens: 2 } } },
      { reply: ({ role }) => `for ${role}` },
    ]);
    const ask = (role: string) => provider.complete(request(role), { key: `${role}/1`, signal });
    expect(await ask('critic')).toEqual({
      text: 'fine',
      stop: 'stop',
      usage: { inputTokens: 1, outputTokens: 2 },
      model: 'm',
      provider: 'scripted',
    });
    expect((await ask('planner')).text).toBe('plan');
    expect((await ask('planner')).text).toBe('for planner');
    expect(provider.calls.map(({ key }) => key)).toEqual(['critic/1', 'planner/1', 'planner/1']);
    expect(() => provider.assertConsumed()).not.toThrow();
  });

  it('fails on a call without a step, and remembers it', async () => {
    const provider = new ScriptedProvider([]);
    await expect(provider.complete(request('planner'), { key: 'plan/1', signal })).rejects.toMatchObject({
      code: 'model_unscripted',
    });
    expect(() => provider.assertConsumed()).toThrow('unexpected calls: planner (plan/1)');
  });

  it('fails on steps that are left over', () => {
    const provider = new ScriptedProvider([{ role: 'critic', reply: 'x' }, { reply: 'y' }]);
    expect(() => provider.assertConsumed()).toThrow('steps left over: critic, any role');
  });

  it('throws a failure of the script', async () => {
    const failure = new OrchestratorError('model_overloaded', 'busy');
    await expect(
      new ScriptedProvider([{ reply: failure }]).complete(request('a'), { key: 'k', signal }),
    ).rejects.toBe(failure);
  });

  it('answers when the test says so, and gives up when aborted', async () => {
    const first = createDeferred<string>();
    const second = createDeferred<string>();
    const provider = new ScriptedProvider([{ reply: first.promise }, { reply: second.promise }]);
    let isAnswered = false;
    const call = provider.complete(request('a'), { key: 'k', signal }).then(({ text }) => {
      isAnswered = true;
      return text;
    });
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    first.resolve('now');
    expect(await call).toBe('now');

    const controller = new AbortController();
    const held = provider.complete(request('a'), { key: 'k', signal: controller.signal });
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(held).rejects.toBe(reason);
  });
});
