import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../../src/contracts/model.ts';
import { readSection } from '../../../src/contracts/section.ts';
import { askMessages, interpretAsk } from '../../../src/worker/ask.ts';

function answer(text: string, more: Partial<ModelAnswer> = {}): ModelAnswer {
  return { text, stop: 'stop', usage: { inputTokens: 3, outputTokens: 7 }, model: 'm', ...more };
}

describe('askMessages', () => {
  it('sends instructions and prompt as they are', () => {
    expect(askMessages({ instructions: 'Be brief.', prompt: 'Why?' }, [])).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Why?' },
    ]);
    expect(askMessages({ prompt: 'Why?' }, [])).toEqual([{ role: 'user', content: 'Why?' }]);
  });

  it('adds the issues on a revision', () => {
    const messages = askMessages({ prompt: 'Why?' }, ['Paris is not named', '</issues>']);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(readSection({ messages }, 'issues')).toEqual(['Paris is not named', '</issues>']);
  });
});

describe('interpretAsk', () => {
  const format = {
    name: 'fact',
    schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  };

  it('gives the text as it is', () => {
    expect(interpretAsk(answer(' A text.\n'))).toEqual({ ok: true, text: ' A text.\n' });
  });

  it('gives the bare JSON where a format was asked for', () => {
    expect(interpretAsk(answer('Here:\n```json\n{ "n": 1, }\n```'), format)).toEqual({
      ok: true,
      text: '{"n":1}',
    });
  });

  it.each([
    [
      'a text cut by length',
      answer('The three risks are: 1. cost, 2.', { stop: 'length' }),
      'model_truncated',
      'PERMANENT',
    ],
    ['a refusal with text', answer('I cannot help.', { stop: 'refusal' }), 'model_refused', 'PERMANENT'],
    ['a refusal without text', answer('', { stop: 'refusal' }), 'model_refused', 'PERMANENT'],
    ['a content filter', answer('Half', { stop: 'content_filter' }), 'model_refused', 'PERMANENT'],
    ['nothing', answer(' \n'), 'model_empty', 'TRANSIENT'],
    [
      'a tool call that nobody offered',
      answer('', { stop: 'tool_calls', toolCalls: [{ id: '1', name: 'rm', args: {} }] }),
      'model_malformed',
      'PERMANENT',
    ],
  ] as const)('fails at %s', (_, given, code, failureClass) => {
    for (const asked of [undefined, format]) {
      expect(interpretAsk(given, asked)).toMatchObject({ ok: false, failure: { code, class: failureClass } });
    }
  });

  it.each(['{"n":"1"}', 'prose', '{"n":1}{"n":2}', '{"n":1'])(
    'fails at %s where a format was asked for',
    (text) => {
      expect(interpretAsk(answer(text), format)).toMatchObject({
        ok: false,
        failure: { code: 'model_malformed', details: { said: text } },
      });
    },
  );
});
