import { describe, expect, it } from 'vitest';
import type { ModelAnswer, ModelRequest } from '../../../src/contracts/model.ts';
import { hashJson } from '../../../src/kernel/hash.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { createRecorded } from '../../../src/providers/recorded.ts';

function request(content: string): ModelRequest {
  return { role: 'worker', model: 'm', messages: [{ role: 'user', content }], maxOutputTokens: 10 };
}

function answer(text: string): ModelAnswer {
  return { text, stop: 'stop', model: 'm', usage: { inputTokens: 1, outputTokens: 1 } };
}

function asked(key: string, content: string): { type: string; key: string; request: string; model: string } {
  const hash = hashJson(request(content) as unknown as Json);
  return { type: 'model.requested', key, request: hash, model: 'm' };
}

const overloaded = { code: 'model_overloaded', class: 'TRANSIENT', message: 'busy', retryAfterMs: 5 };

const recorded = createRecorded('recorded:last', [
  { type: 'run.started', task: { prices: { m: { inputPerMTok: 3, outputPerMTok: 15 } } } },
  asked('a#1', 'first'),
  asked('b#1', 'second'),
  { type: 'model.failed', key: 'a#1', failure: overloaded },
  { type: 'model.answered', key: 'b#1', answer: answer('two') },
  { type: 'node.done' },
  asked('a#2', 'first'),
  { type: 'model.answered', key: 'a#2', answer: answer('one') },
  asked('c', 'second'),
  { type: 'model.answered', key: 'c', answer: answer('two again') },
  asked('d', 'never'),
  { type: 'model.failed', key: 'd', failure: overloaded },
]);

const context = { key: 'k', signal: new AbortController().signal };

describe('createRecorded', () => {
  it('answers by request, in the order of the run where a request was made twice, then the last', async () => {
    const deltas: string[] = [];
    const ask = async (content: string): Promise<string> =>
      (await recorded.complete(request(content), { ...context, onDelta: (text) => deltas.push(text) })).text;
    expect([await ask('second'), await ask('first'), await ask('second'), await ask('second')]).toEqual([
      'two',
      'one',
      'two again',
      'two again',
    ]);
    expect(deltas).toEqual(['two', 'one', 'two again', 'two again']);
  });

  it('fails as the run did where no answer ever came', async () => {
    await expect(recorded.complete(request('never'), context)).rejects.toMatchObject({
      code: 'model_overloaded',
      retry: 'TRANSIENT',
      retryAfterMs: 5,
    });
  });

  it('names role and hash of a request that the run did not make', async () => {
    const other = { ...request('first'), temperature: 1 };
    await expect(recorded.complete(other, context)).rejects.toMatchObject({
      code: 'model_unscripted',
      message: expect.stringContaining('"worker"') as string,
      details: { role: 'worker', request: hashJson(other as unknown as Json) },
    });
  });

  it('costs what the run did', () => {
    expect(recorded.priceOf?.('m')).toEqual({ inputPerMTok: 3, outputPerMTok: 15 });
    expect(recorded.priceOf?.('other')).toEqual({ inputPerMTok: 0, outputPerMTok: 0 });
  });

  it('does not answer once it is aborted', async () => {
    const reason = new Error('enough');
    await expect(
      recorded.complete(request('first'), { key: 'k', signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  it('knows a request that names no model by those that the run asked, at their price', async () => {
    const { text } = await recorded.complete({ ...request('second'), model: '' }, context);
    expect(text).toBe('two again');
    expect(recorded.priceOf?.('')).toEqual({ inputPerMTok: 3, outputPerMTok: 15 });
    const other = recorded.complete({ ...request('second'), model: 'n' }, context);
    await expect(other).rejects.toMatchObject({ code: 'model_unscripted' });
  });
});
