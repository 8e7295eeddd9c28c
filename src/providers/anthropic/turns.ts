import type { Messages } from '@anthropic-ai/sdk/resources/messages';
import type { ContentPart, Message, ToolCall } from '../../contracts/model.ts';
import { partsOf, type ResolvedPart } from '../reasoning.ts';
import { wireName } from '../tool-names.ts';

type Block = Messages.ContentBlockParam;

/** Stands for what a person said where it was blank. */
const NOTHING_SAID = '(nothing)';

/** What one side says until the other answers. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: readonly Block[];
}

/** The system messages as the blocks of the system prompt. */
export function toSystemBlocks(messages: readonly Message[]): Messages.TextBlockParam[] {
  return messages.flatMap((message) =>
    message.role === 'system' && message.content.trim() !== ''
      ? [{ type: 'text' as const, text: message.content }]
      : [],
  );
}

/** The conversation in turns: results of tools and what the user says after them share one. */
export function toTurns(messages: readonly Message[], model: string): readonly Turn[] {
  const turns: { role: 'user' | 'assistant'; content: Block[] }[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const blocks = toBlocks(message, model);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: blocks });
  }
  return turns;
}

function toBlocks(message: Exclude<Message, { role: 'system' }>, model: string): Block[] {
  switch (message.role) {
    case 'user': {
      const { content } = message;
      const blocks = typeof content === 'string' ? textBlocks(content) : content.flatMap(toContentBlocks);
      // A turn that says nothing is a turn all the same: without it the sides would not alternate.
      return blocks.length > 0 ? blocks : textBlocks(NOTHING_SAID);
    }
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.toolCallId, content: message.content }];
    case 'assistant':
      return partsOf(message, 'messages', model).flatMap((part) =>
        toAnswerBlocks(part, message.toolCalls ?? []),
      );
  }
}

/** An empty text is an error. */
function textBlocks(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

function toContentBlocks(part: ContentPart): Block[] {
  if (part.type === 'text') return textBlocks(part.text);
  return [{ type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data } }];
}

function toAnswerBlocks(part: ResolvedPart, calls: readonly ToolCall[]): Block[] {
  switch (part.kind) {
    case 'raw':
      return [part.value as unknown as Block];
    case 'text':
      return textBlocks(part.text);
    case 'call':
      return calls.flatMap(({ id, name, args }) =>
        id === part.id ? [{ type: 'tool_use' as const, id, name: wireName(name), input: args }] : [],
      );
  }
}
