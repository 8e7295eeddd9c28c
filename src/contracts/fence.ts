/*
 * Fences around data in prompts. A fence names the hash of what stands in it, so that nothing can hold the end of its own
 * fence: to write it, it would have to know its own hash. It is the same wherever the data is the same, so that a replay, a
 * recorded answer and the prompt cache of a provider find the prompt again. Each says where its data comes from.
 */
import { sha256 } from '../kernel/hash.ts';
import type { ContentPart, Message } from './model.ts';

/** Characters that the fences of one prompt may take beside the sections themselves. */
export const FENCE_ROOM = 400;

const FENCE_LENGTH = 20;

/** What whoever wrote the task says; it is no data. */
const TRUSTED = new Set(['goal', 'inputs', 'limits', 'rubric', 'focus', 'framework', 'title', 'sections']);

const SOURCES: ReadonlyMap<string, string> = new Map([
  ['catalogue', 'tools'],
  ['tool', 'tools'],
  ['results', 'tools'],
  ['result', 'tools'],
  ['facts', 'tools'],
  ['failures', 'tools'],
  ['failure', 'tools'],
  ['issues', 'a model'],
  ['summary', 'a model'],
  ['report', 'this run'],
  ['memories', 'memory'],
  ['memory', 'memory'],
  ['memory-working', 'this run'],
  ['memory-episodes', 'memory'],
  ['memory-facts', 'memory'],
]);

/** The mark of a text as data from somewhere: the text between two lines that its own hash names. */
export function fenceData(name: string, text: string, from: string): string {
  const fence = sha256(`${name}\n${text}`).slice(0, FENCE_LENGTH);
  return `<${name} fence="${fence}" from="${from}">\n${text}\n</${name} fence="${fence}">`;
}

/** The messages with a fence around every section that holds data, and around what tools returned to an agent. */
export function fenceMessages(messages: readonly Message[]): Message[] {
  return messages.map((message) => fenceMessage(message));
}

function fenceMessage(message: Message): Message {
  const { role, content } = message;
  if (role === 'tool') {
    return {
      ...message,
      content: mapText(content, (text) => fenceData('tool-output', text, 'tools')),
    } as Message;
  }
  if (role === 'assistant') return message;
  return { ...message, content: mapText(content, fenceSections) } as Message;
}

function mapText(
  content: string | readonly ContentPart[],
  change: (text: string) => string,
): string | readonly ContentPart[] {
  if (typeof content === 'string') return change(content);
  return content.map((part) => (part.type === 'text' ? { ...part, text: change(part.text) } : part));
}

/** What a section holds is JSON without `<`, so that its end is the first that there is. */
function fenceSections(text: string): string {
  return text.replace(/^<([a-z][a-z0-9-]{0,40})>\n([^<]*)\n<\/\1>$/gm, (whole, name: string, data: string) =>
    TRUSTED.has(name) ? whole : fenceData(name, data, SOURCES.get(name) ?? 'a call'),
  );
}
