/* Histories of agents, whatever is in them: repaired they are what providers take, compressed they hold what must stay. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressMessages, keptTail, middleOf } from '../../src/agent/compress.ts';
import { thresholdEngine } from '../../src/agent/context-engine.ts';
import { fitPrompt } from '../../src/agent/fit-prompt.ts';
import { listSteps } from '../../src/agent/list-steps.ts';
import { repairMessages } from '../../src/agent/repair-messages.ts';
import { estimateInputTokens } from '../../src/budget/estimate-tokens.ts';
import type { Todo } from '../../src/contracts/agent.ts';
import { TODO_STATES } from '../../src/contracts/agent.ts';
import type { Message } from '../../src/contracts/model.ts';
import type { Json } from '../../src/kernel/json.ts';
import { chatFaults } from '../support/chat-rules.ts';

const text = fc.string({ maxLength: 12 });
const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const args = fc.oneof(
  fc.constant<Json>({}),
  fc.constant<Json>({ q: 1 }),
  fc.constant<Json>('[1]'),
  fc.constant<Json>(null),
);
const call = fc.record({ id, name: fc.constantFrom('search', 'write'), args });

/** Anything, in any order. */
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: text }),
  fc.record({ role: fc.constant('user' as const), content: text }),
  fc.record({
    role: fc.constant('user' as const),
    content: fc.array(fc.record({ type: fc.constant('text' as const), text }), { maxLength: 2 }),
  }),
  fc.record({ role: fc.constant('assistant' as const), content: text }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.array(call, { maxLength: 3 }),
    reasoning: fc.array(fc.constant<Json>({ thought: 't' }), { maxLength: 1 }),
  }),
  fc.record({
    role: fc.constant('tool' as const),
    toolCallId: id,
    content: fc.string({ minLength: 1, maxLength: 12 }),
  }),
);
const anyHistory = fc.array(anyMessage, { maxLength: 25 });

/** A history as an agent's own loop leaves it: whole turns. */
const ownHistory: fc.Arbitrary<Message[]> = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('talk' as const), chars: fc.nat(3000) }),
      fc.record({
        kind: fc.constant('work' as const),
        chars: fc.nat(3000),
        calls: fc.integer({ min: 1, max: 4 }),
      }),
      fc.record({ kind: fc.constant('told' as const), chars: fc.nat(500) }),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((turns) =>
    turns.flatMap((turn, n): Message[] => {
      if (turn.kind === 'told') return [{ role: 'user', content: `told ${n} ${'t'.repeat(turn.chars)}` }];
      if (turn.kind === 'talk')
        return [{ role: 'assistant', content: `said ${n} ${'s'.repeat(turn.chars)}` }];
      const ids = Array.from({ length: turn.calls }, (_, index) => `${n}_${index}`);
      return [
        {
          role: 'assistant',
          content: '',
          toolCalls: ids.map((each) => ({ id: each, name: 'search', args: {} })),
        },
        ...ids.map((each): Message => ({
          role: 'tool',
          toolCallId: each,
          content: `r${each} ${'r'.repeat(turn.chars)}`,
        })),
      ];
    }),
  );

const todos: fc.Arbitrary<Todo[]> = fc.array(
  fc.record({ id: text, content: text, status: fc.constantFrom(...TODO_STATES) }),
  { maxLength: 5 },
);

const estimate = (messages: readonly Message[]): number => estimateInputTokens({ messages });

describe('repairMessages', () => {
  it('makes of any history one that every provider takes', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(chatFaults(repairMessages(history))).toEqual([]);
      }),
    );
  });

  it('leaves alone what is in order', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const repaired = repairMessages(history);
        expect(repairMessages(repaired)).toEqual(repaired);
      }),
    );
  });

  it('loses no text, no call, no thought and no result that belongs to a call', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const repaired = repairMessages(history);
        const all = JSON.stringify(repaired);
        const called = new Set<string>();
        const answered = new Set<string>();
        let thoughts = 0;
        for (const message of history) {
          if (message.role === 'tool') {
            if (!called.has(message.toolCallId) || answered.has(message.toolCallId)) continue;
            answered.add(message.toolCallId);
            expect(repaired).toContainEqual(message);
          } else {
            expect(
              typeof message.content !== 'string' ||
                all.includes(JSON.stringify(message.content).slice(1, -1)),
            ).toBe(true);
          }
          if (message.role !== 'assistant') continue;
          thoughts += message.reasoning?.length ?? 0;
          for (const each of message.toolCalls ?? []) called.add(each.id);
        }
        const kept = repaired.flatMap((message) => (message.role === 'assistant' ? [message] : []));
        expect(new Set(kept.flatMap(({ toolCalls = [] }) => toolCalls.map((each) => each.id)))).toEqual(
          called,
        );
        expect(kept.flatMap(({ reasoning = [] }) => reasoning)).toHaveLength(thoughts);
      }),
    );
  });
});

describe('compression', () => {
  const shape = fc.record({
    history: ownHistory,
    todos,
    keepFirst: fc.nat(5),
    keepLast: fc.integer({ min: 1, max: 25 }),
    level: fc.constantFrom('soft' as const, 'hard' as const),
    /** Where the last request stands. */
    place: fc.nat(40),
    summary: fc.option(fc.string({ minLength: 1 }), { nil: null }),
  });
  const request = 'THE LAST REQUEST';

  it('keeps first and last messages, the last request, open todos, and calls with their results', () => {
    fc.assert(
      fc.property(shape, ({ history, todos: list, level, place, summary, ...settings }) => {
        const messages = withRequest(history, place, request);
        const plan = { ...keptTail(messages, settings), level };
        const after = compressMessages(messages, plan, { summary, request, todos: list });
        const first = messages.slice(0, settings.keepFirst);
        expect(after.slice(0, first.length)).toEqual(first);
        const last = messages.slice(Math.max(first.length, messages.length - settings.keepLast));
        if (last.length > 0) {
          expect(after.slice(-last.length).map(shapeOf)).toEqual(last.map(shapeOf));
          if (level === 'soft') expect(after.slice(-last.length)).toEqual(last);
        }
        expect(JSON.stringify(after)).toContain(request);
        expect(chatFaults(repairMessages(after))).toEqual([]);
        expect(JSON.stringify(repairMessages(after))).not.toContain('[interrupted]');
        if (summary === null || plan.tail <= plan.head) return;
        const told = after.map(({ content }) => JSON.stringify(content)).join('\n');
        for (const todo of list) {
          if (todo.status === 'pending' || todo.status === 'in_progress') {
            expect(told).toContain(
              JSON.stringify(JSON.stringify(todo.content).replaceAll('<', '\\u003c')).slice(1, -1),
            );
          }
        }
      }),
    );
  });

  it('tells the summary of everything that goes', () => {
    fc.assert(
      fc.property(shape, ({ history, place, ...settings }) => {
        const messages = withRequest(history, place, request);
        const plan = keptTail(messages, settings);
        const kept = [...messages.slice(0, plan.head), ...messages.slice(plan.tail)];
        const said = JSON.stringify([...listSteps(middleOf(messages, plan, request)), ...listSteps(kept)]);
        for (const message of messages) {
          if (message.role !== 'assistant' || message.content === '') continue;
          expect(said).toContain(message.content);
        }
      }),
    );
  });

  it('is planned only where the prompt is too long, and never without end', () => {
    fc.assert(
      fc.property(
        shape,
        fc.integer({ min: 500, max: 50_000 }),
        ({ history, place, ...settings }, usableTokens) => {
          let messages = withRequest(history, place, request);
          for (let times = 0; ; times++) {
            expect(times).toBeLessThan(6);
            const promptTokens = estimate(messages);
            const plan = thresholdEngine.plan({
              messages,
              request,
              promptTokens,
              usableTokens,
              settings: { compressAt: 0.5, compressHardAt: 0.85, ...settings },
              estimateTokens: estimate,
            });
            if (plan === null) return;
            expect(promptTokens).toBeGreaterThanOrEqual(usableTokens * 0.5);
            const summary = plan.summarise ? 'short' : null;
            const after = compressMessages(messages, plan, { summary, request, todos: [] });
            expect(estimate(after)).toBeLessThan(promptTokens + 200);
            messages = after;
          }
        },
      ),
    );
  });
});

describe('fitPrompt', () => {
  it('never sends more than there is room for, and always the request where that fits', () => {
    fc.assert(
      fc.property(ownHistory, fc.nat(40), fc.integer({ min: -10, max: 20_000 }), (history, place, room) => {
        const request = 'THE LAST REQUEST';
        const messages = withRequest(history, place, request);
        const sent = fitPrompt(messages, request, room, estimate);
        expect(estimate(sent)).toBeLessThanOrEqual(Math.max(0, room));
        expect(chatFaults(sent)).toEqual([]);
        if (room >= 200) expect(JSON.stringify(sent)).toContain(request);
      }),
    );
  });
});

function withRequest(history: readonly Message[], place: number, request: string): Message[] {
  // Not between a call and its results.
  let index = Math.min(place, history.length);
  while (history[index]?.role === 'tool') index++;
  return [...history.slice(0, index), { role: 'user', content: request }, ...history.slice(index)];
}

function shapeOf(message: Message): string {
  return message.role === 'tool' ? `tool ${message.toolCallId}` : JSON.stringify(message);
}
