/*
 * Histories of agents at the providers' edge: whatever happened, each API is sent what it takes, with every call and its
 * one result, and what a model thought goes back to it and to nobody else.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repairMessages } from '../../src/agent/repair-messages.ts';
import type { Message, ModelRequest } from '../../src/contracts/model.ts';
import type { Json } from '../../src/kernel/json.ts';
import { buildMessagesRequest } from '../../src/providers/anthropic/request.ts';
import { buildChatRequest } from '../../src/providers/openai/chat-request.ts';
import { buildResponsesRequest } from '../../src/providers/openai/responses-request.ts';
import { type AnswerPart, type ApiMode, keepReasoning } from '../../src/providers/reasoning.ts';

const MODEL = 'claude-sonnet-4-5';

/** What a history is made of: what was said by whom, calls, of which some came to nothing, and cuts. */
interface Event {
  readonly kind: 'user' | 'assistant' | 'result';
  readonly text: string;
  readonly calls: number;
  readonly thinks: boolean;
  readonly isOurs: boolean;
}

const anyEvents = fc.array(
  fc.record<Event>({
    kind: fc.constantFrom('user', 'assistant', 'result'),
    text: fc.constantFrom('', ' ', 'said', 'two\nlines'),
    calls: fc.nat(3),
    thinks: fc.boolean(),
    isOurs: fc.boolean(),
  }),
  { maxLength: 20 },
);

/** The history, and the thoughts in it that are this model's by this API. */
function historyOf(events: readonly Event[], api: ApiMode): { history: Message[]; thoughts: string[] } {
  const open: string[] = [];
  const thoughts: string[] = [];
  const history = events.flatMap(({ kind, text, calls, thinks, isOurs }, n): Message[] => {
    if (kind === 'user') return [{ role: 'user', content: text }];
    if (kind === 'result') {
      const id = open.shift();
      return [{ role: 'tool', toolCallId: id ?? 'orphan', content: `result ${n}` }];
    }
    const ids = Array.from({ length: calls }, (_, index) => `c${n}_${index}`);
    open.push(...ids);
    const thought = `thought ${n}.`;
    const raw: Json =
      api === 'chat' ? { reasoning_content: thought } : { type: 'thinking', thinking: thought };
    const parts: AnswerPart[] = [
      { kind: 'raw', value: raw },
      ...(text === '' ? [] : [{ kind: 'text' as const, length: text.length }]),
      ...ids.map((id) => ({ kind: 'call' as const, id })),
    ];
    const reasoning = thinks ? keepReasoning(api, isOurs ? MODEL : 'another', parts) : undefined;
    if (thinks && isOurs) thoughts.push(thought);
    return [
      {
        ...{ role: 'assistant', content: text },
        ...(ids.length === 0 ? {} : { toolCalls: ids.map((id) => ({ id, name: 'look', args: {} })) }),
        ...(reasoning === undefined ? {} : { reasoning }),
      },
    ];
  });
  return { history, thoughts };
}

/** Checks the request that follows from any history, beside the thoughts that its API is to be sent again. */
function forAnyHistory(api: ApiMode, check: (request: ModelRequest, thoughts: string[]) => void): void {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { history, thoughts } = historyOf(events, api);
      const messages = repairMessages([
        { role: 'system', content: 'Be brief.' },
        ...history,
        { role: 'user', content: 'go on' },
      ]);
      check({ role: 'agent', model: MODEL, messages, maxOutputTokens: 1000 }, thoughts);
    }),
  );
}

const warn = (): void => undefined;
const thoughtsIn = (sent: unknown): string[] => JSON.stringify(sent).match(/thought \d+\./g) ?? [];

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

describe('a history of an agent', () => {
  it('is sent as Messages takes it: turns that alternate, each call answered at once, thoughts first in their turn', () => {
    forAnyHistory('messages', (request, thoughts) => {
      const { body } = buildMessagesRequest(request, warn);
      const turns = body.messages as { role: string; content: Block[] }[];
      expect(turns.map(({ role }) => role)).toEqual(
        turns.map((_, n) => (n % 2 === 0 ? 'user' : 'assistant')),
      );
      expect(turns.at(-1)?.role).toBe('user');
      for (const [n, { content }] of turns.entries()) {
        expect(content.length).toBeGreaterThan(0);
        for (const { type, text } of content) if (type === 'text') expect(text?.trim()).not.toBe('');
        const called = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
        const next = turns[n + 1]?.content ?? [];
        expect(next.slice(0, called.length).map(({ tool_use_id }) => tool_use_id)).toEqual(called);
        const results = content.filter(({ type }) => type === 'tool_result');
        const before = turns[n - 1]?.content.filter(({ type }) => type === 'tool_use') ?? [];
        expect(results).toHaveLength(before.length);
      }
      expect(thoughtsIn(turns)).toEqual(thoughts);
    });
  });

  it('is sent as Chat Completions takes it: each call followed by its one result, in call order', () => {
    forAnyHistory('chat', (request, thoughts) => {
      const { body } = buildChatRequest(request, 'openai', warn);
      const sent = body.messages as {
        role: string;
        tool_calls?: { id: string }[];
        tool_call_id?: string;
      }[];
      let owed: string[] = [];
      for (const { role, tool_calls, tool_call_id } of sent) {
        if (role === 'tool') expect(tool_call_id).toBe(owed.shift());
        else expect(owed).toEqual([]);
        if (tool_calls !== undefined) owed = tool_calls.map(({ id }) => id);
      }
      expect(owed).toEqual([]);
      // One field holds them: of answers that were merged it is the last.
      expect(thoughts).toEqual(expect.arrayContaining(thoughtsIn(sent)));
    });
  });

  it('is sent as Responses takes it: each call with one output, thoughts before what they led to', () => {
    forAnyHistory('responses', (request, thoughts) => {
      const { body } = buildResponsesRequest(request, 'openai', warn);
      const items = body.input as { type?: string; call_id?: string }[];
      const ids = (type: string) => items.flatMap((item) => (item.type === type ? [item.call_id] : []));
      expect(ids('function_call_output')).toEqual(ids('function_call'));
      expect(new Set(ids('function_call')).size).toBe(ids('function_call').length);
      expect(thoughtsIn(items)).toEqual(thoughts);
    });
  });
});
