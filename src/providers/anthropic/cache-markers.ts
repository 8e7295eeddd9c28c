import type { Messages } from '@anthropic-ai/sdk/resources/messages';
import type { Turn } from './turns.ts';

const CACHED = { type: 'ephemeral' } as const;

/** What ends the part of a prompt that stays the same from call to call: the catalogue of tools. */
const STABLE_END = '\n</catalogue>';

/**
 * Marks where the cache may be taken up, beside the tools and the system prompt: behind the catalogue in the first
 * message, and at the end of a conversation that goes on (a prompt that is asked but once is not worth the write).
 */
export function markConversation(turns: readonly Turn[]): readonly Turn[] {
  const [first, ...rest] = turns;
  if (first === undefined) return [];
  const marked = [{ ...first, content: first.content.flatMap(markStable) }, ...rest];
  const last = marked.at(-1);
  if (last === undefined || !marked.some(({ role }) => role === 'assistant')) return marked;
  return [...marked.slice(0, -1), { ...last, content: markLast(last.content) }];
}

function markStable(block: Messages.ContentBlockParam): Messages.ContentBlockParam[] {
  const end = block.type === 'text' ? block.text.indexOf(STABLE_END) : -1;
  if (block.type !== 'text' || end < 0) return [block];
  const stable = block.text.slice(0, end + STABLE_END.length);
  const rest = block.text.slice(stable.length);
  return [
    { ...block, text: stable, cache_control: CACHED },
    ...(rest.trim() === '' ? [] : [{ ...block, text: rest }]),
  ];
}

function markLast(content: Turn['content']): Turn['content'] {
  const last = content.at(-1);
  // What a model thought cannot be marked.
  if (last === undefined || last.type === 'thinking' || last.type === 'redacted_thinking') return content;
  return [...content.slice(0, -1), { ...last, cache_control: CACHED }];
}
