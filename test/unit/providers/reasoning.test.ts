import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/json.ts';
import {
  type AnswerPart,
  keepReasoning,
  partsOf,
  readableReasoning,
} from '../../../src/providers/reasoning.ts';

const thought = { type: 'thinking', thinking: 'Hm.', signature: 's=' };
const later = { type: 'thinking', thinking: 'Yes.', signature: 't=' };
const parts: readonly AnswerPart[] = [
  { kind: 'raw', value: thought },
  { kind: 'text', length: 3, extra: { phase: 'commentary' } },
  { kind: 'raw', value: later },
  { kind: 'call', id: 'a' },
];
const message = {
  role: 'assistant',
  content: 'Let',
  toolCalls: [{ id: 'a', name: 'look', args: {} }],
  reasoning: keepReasoning('messages', 'm', parts)!,
} as const;

describe('reasoning', () => {
  it('stands where it stood between texts and calls', () => {
    expect(partsOf(message, 'messages', 'm')).toEqual([
      { kind: 'raw', value: thought },
      { kind: 'text', text: 'Let', extra: { phase: 'commentary' } },
      { kind: 'raw', value: later },
      { kind: 'call', id: 'a' },
    ]);
  });

  it('comes first where the rest of the message was changed', () => {
    const expected = [
      { kind: 'raw', value: thought },
      { kind: 'raw', value: later },
      { kind: 'text', text: 'Let me' },
      { kind: 'call', id: 'a' },
    ];
    expect(partsOf({ ...message, content: 'Let me' }, 'messages', 'm')).toEqual(expected);
    expect(partsOf({ ...message, toolCalls: [] }, 'messages', 'm')).toEqual([
      ...expected.slice(0, 2),
      { kind: 'text', text: 'Let' },
    ]);
  });

  it('of answers that were put together is all of it', () => {
    const first = keepReasoning('messages', 'm', [{ kind: 'raw', value: later }])!;
    expect(partsOf({ ...message, reasoning: [...first, ...message.reasoning] }, 'messages', 'm')).toEqual([
      { kind: 'raw', value: later },
      { kind: 'raw', value: thought },
      { kind: 'text', text: 'Let', extra: { phase: 'commentary' } },
      { kind: 'raw', value: later },
      { kind: 'call', id: 'a' },
    ]);
  });

  it('is for the API and the model that made it', () => {
    const plain = [
      { kind: 'text', text: 'Let' },
      { kind: 'call', id: 'a' },
    ];
    expect(partsOf(message, 'responses', 'm')).toEqual(plain);
    expect(partsOf(message, 'messages', 'other')).toEqual(plain);
  });

  it('is shown as far as it can be read', () => {
    const read = (value: Json) =>
      readableReasoning(keepReasoning('messages', 'm', [{ kind: 'raw', value }])!);
    expect(readableReasoning(message.reasoning)).toBe('Hm.\nYes.');
    expect(read({ type: 'redacted_thinking', data: 'x' })).toBe('');
    expect(
      read({ type: 'reasoning', encrypted_content: 'x', summary: [{ type: 'summary_text', text: 'So.' }] }),
    ).toBe('So.');
    expect(read({ reasoning_content: ' Well. ' })).toBe('Well.');
    expect(read({ reasoning: 'Well.', reasoning_details: [{ text: 'Well.' }] })).toBe('Well.');
    expect(readableReasoning(['odd', null, { parts: 3 }])).toBe('');
  });

  it('is not kept where there is none', () => {
    expect(keepReasoning('messages', 'm', [{ kind: 'text', length: 3 }])).toBeUndefined();
  });
});
