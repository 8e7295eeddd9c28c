import type { Message } from '../contracts/model.ts';
import { readSection } from '../contracts/section.ts';
import { isJsonObject, type JsonObject } from '../kernel/json.ts';
import { isResultSection } from './result-text.ts';

/** One thing that was told or said, or a call with what came of it. */
export type Step = JsonObject & { readonly kind: 'told' | 'said' | 'call'; readonly value: string };

/** A conversation as plain items, in order. */
export function listSteps(messages: readonly Message[]): Step[] {
  const results = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'tool') results.set(message.toolCallId, message.content);
  }
  return messages.flatMap((message): Step[] => {
    switch (message.role) {
      case 'system':
      case 'tool':
        return [];
      case 'user':
        return [toldStep(textOf(message.content))];
      case 'assistant': {
        const said = message.content === '' ? [] : [{ kind: 'said' as const, value: message.content }];
        const calls = (message.toolCalls ?? []).map(({ id, name, args }) => ({
          kind: 'call' as const,
          tool: name,
          args,
          value: results.get(id) ?? '',
        }));
        return [...said, ...calls];
      }
    }
  });
}

/** What a user message tells: something new, or what came of a command. */
function toldStep(text: string): Step {
  const result = isResultSection(text)
    ? readSection({ messages: [{ role: 'user', content: text }] }, 'result')
    : undefined;
  if (!isJsonObject(result)) return { kind: 'told', value: text };
  const { command, value } = result;
  const tool = typeof command === 'string' ? command : '';
  return { kind: 'call', tool, value: typeof value === 'string' ? value : '' };
}

/** The text of a message's content; images stand as a word. */
export function textOf(content: Extract<Message, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n');
}
