/*
 * What every provider takes: system messages first; then a user message; user and assistant in turns; behind each
 * tool call its one result, in the order of the calls. Repair is a fixed point: what is in order stays as it is, and
 * it invents nothing but the results that never came.
 */
import type { ContentPart, Message, ToolCall } from '../contracts/model.ts';
import { isJsonObject } from '../kernel/json.ts';

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;
type ToolMessage = Extract<Message, { role: 'tool' }>;

/** What is known of a call that never returned. */
export const UNKNOWN_OUTCOME =
  'This call was cut off before it returned. Whether it took effect is not known.';

/** Before the text of a call that was cut off. */
export const INTERRUPTED_MARK = '[interrupted] ';

/** What stands in front of a conversation that begins with an answer. */
const OPENING = '(The beginning of this conversation is not shown.)';

/**
 * The history as every provider takes it: adjacent messages of one role merged, empty `toolCalls` left out, orphaned
 * and repeated tool ids dropped, each call followed by exactly one result in call order. Reasoning is kept.
 */
export function repairMessages(history: readonly Message[]): Message[] {
  const { messages, results } = sortOut(history);
  const repaired: Message[] = systemMessage(history);
  for (const message of messages) {
    if (message.role === 'user') appendUser(repaired, message);
    else appendAssistant(repaired, message, results);
  }
  const first = repaired.findIndex(({ role }) => role !== 'system');
  if (repaired[first]?.role === 'assistant') repaired.splice(first, 0, { role: 'user', content: OPENING });
  return repaired;
}

function systemMessage(history: readonly Message[]): Message[] {
  const texts = history.flatMap((message) =>
    message.role === 'system' && message.content !== '' ? [message.content] : [],
  );
  return texts.length === 0 ? [] : [{ role: 'system', content: texts.join('\n\n') }];
}

/** The turns of both sides with each call id once, and the first result of each that comes after its call. */
function sortOut(history: readonly Message[]): {
  readonly messages: readonly (UserMessage | AssistantMessage)[];
  readonly results: ReadonlyMap<string, ToolMessage>;
} {
  const called = new Set<string>();
  const results = new Map<string, ToolMessage>();
  const messages: (UserMessage | AssistantMessage)[] = [];
  for (const message of history) {
    switch (message.role) {
      case 'system':
        break;
      case 'user':
        if (message.content.length > 0) messages.push(message);
        break;
      case 'tool':
        if (called.has(message.toolCallId) && !results.has(message.toolCallId)) {
          results.set(message.toolCallId, message);
        }
        break;
      case 'assistant': {
        const turn = withCalls(message, takeNew(message.toolCalls ?? [], called));
        if (!isEmpty(turn)) messages.push(turn);
      }
    }
  }
  return { messages, results };
}

function takeNew(calls: readonly ToolCall[], called: Set<string>): ToolCall[] {
  const fresh: ToolCall[] = [];
  for (const call of calls) {
    if (called.has(call.id)) continue;
    called.add(call.id);
    // Some APIs refuse a whole history for one call whose arguments are no object; its result says what they were.
    fresh.push(isJsonObject(call.args) ? call : { ...call, args: {} });
  }
  return fresh;
}

function withCalls(message: AssistantMessage, toolCalls: readonly ToolCall[]): AssistantMessage {
  const { role, content, reasoning } = message;
  return {
    role,
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning === undefined || reasoning.length === 0 ? {} : { reasoning }),
  };
}

function isEmpty({ content, toolCalls, reasoning }: AssistantMessage): boolean {
  return content === '' && toolCalls === undefined && reasoning === undefined;
}

function appendUser(repaired: Message[], message: UserMessage): void {
  const last = repaired.at(-1);
  if (last?.role !== 'user') {
    repaired.push(message);
    return;
  }
  repaired[repaired.length - 1] = { role: 'user', content: joinContent(last.content, message.content) };
}

function joinContent(a: UserMessage['content'], b: UserMessage['content']): UserMessage['content'] {
  if (typeof a === 'string' && typeof b === 'string') return `${a}\n\n${b}`;
  return [...toParts(a), ...toParts(b)];
}

function toParts(content: UserMessage['content']): readonly ContentPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function appendAssistant(
  repaired: Message[],
  message: AssistantMessage,
  results: ReadonlyMap<string, ToolMessage>,
): void {
  const last = repaired.at(-1);
  if (last?.role === 'assistant') repaired[repaired.length - 1] = joinAnswers(last, message);
  else repaired.push(message);
  for (const { id } of message.toolCalls ?? []) {
    repaired.push(
      results.get(id) ?? { role: 'tool', toolCallId: id, content: INTERRUPTED_MARK + UNKNOWN_OUTCOME },
    );
  }
}

/** The first of two neighbours has no calls: their results would stand between them. */
function joinAnswers(a: AssistantMessage, b: AssistantMessage): AssistantMessage {
  const content = [a.content, b.content].filter((text) => text !== '').join('\n\n');
  const reasoning = [...(a.reasoning ?? []), ...(b.reasoning ?? [])];
  return withCalls({ role: 'assistant', content, reasoning }, b.toolCalls ?? []);
}
