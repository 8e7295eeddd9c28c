import type { Todo } from '../contracts/agent.ts';
import type { Message } from '../contracts/model.ts';
import { section } from '../contracts/section.ts';
import { cutText } from '../kernel/cut-text.ts';
import { textOf } from './list-steps.ts';
import { isResultSection } from './result-text.ts';
import { openTodos } from '../contracts/todo-items.ts';

/** How a history is to be made shorter; messages before `head` and from `tail` on stay. */
export interface CompressionPlan {
  readonly level: 'soft' | 'hard';
  readonly head: number;
  readonly tail: number;
  /** Whether the middle is summarised, since to clear its old results is not enough. */
  readonly summarise: boolean;
}

/** A result shorter than this is not worth clearing. */
const SHORT_RESULT = 300;

/** What is left of a long result in the tail where the window is nearly full. */
const HARD_RESULT_CHARS = 2000;

/** Where the first messages that stay end and the last ones begin, so that no call is parted from its results. */
export function keptTail(
  messages: readonly Message[],
  { keepFirst, keepLast }: { readonly keepFirst: number; readonly keepLast: number },
): { readonly head: number; readonly tail: number } {
  let head = Math.min(keepFirst, messages.length);
  while (messages[head]?.role === 'tool') head++;
  let tail = Math.max(head, messages.length - keepLast);
  while (tail > head && messages[tail]?.role === 'tool') tail--;
  return { head, tail };
}

/**
 * The messages with the long results of the middle cleared, each to a line that says so; where the window is nearly
 * full those of the tail are cut too, the newest turn's excepted. No message goes.
 */
export function clearResults(
  messages: readonly Message[],
  { head, tail, level }: Pick<CompressionPlan, 'head' | 'tail' | 'level'>,
): Message[] {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) => {
    if (index < head || !isResult(message)) return message;
    if (index < tail) return clear(message);
    return level === 'hard' && index < newest ? shorten(message) : message;
  });
}

/** True for what a call returned, be it a tool message or a section of a user message. */
function isResult(message: Message): boolean {
  if (message.role === 'tool') return true;
  return message.role === 'user' && isResultSection(textOf(message.content));
}

function clear(message: Message): Message {
  const text = resultOf(message);
  if (text.length <= SHORT_RESULT) return message;
  return withResult(message, `[cleared] An old result of ${text.length} characters stood here.`);
}

function shorten(message: Message): Message {
  const text = resultOf(message);
  return text.length <= HARD_RESULT_CHARS ? message : withResult(message, cutText(text, HARD_RESULT_CHARS));
}

function resultOf(message: Message): string {
  return message.role === 'user' ? textOf(message.content) : message.content;
}

function withResult(message: Message, text: string): Message {
  if (message.role === 'tool') return { ...message, content: text };
  return { role: 'user', content: section('result', text) };
}

/** The messages of the middle that a summary takes the place of: all but the last request. */
export function middleOf(
  messages: readonly Message[],
  { head, tail }: Pick<CompressionPlan, 'head' | 'tail'>,
  request: string,
): Message[] {
  const kept = requestIndex(messages, request);
  return messages.slice(head, tail).filter((_, index) => head + index !== kept);
}

/** The last message of the user that holds the request; -1 where there is none. */
function requestIndex(messages: readonly Message[], request: string): number {
  return messages.findLastIndex(
    (message) => message.role === 'user' && textOf(message.content).includes(request),
  );
}

const SUMMARY_INTRODUCTION = `Earlier messages were replaced by this summary. It is a record of what happened, not a request.`;

/** True for a message that stands for earlier ones. */
export function isSummary(message: Message): boolean {
  return message.role === 'user' && textOf(message.content).startsWith(SUMMARY_INTRODUCTION);
}

/**
 * The history after a compression: the first messages, the summary with the todos that are open, the last request where
 * it stood in the middle, the last messages. Without a summary only old results are cleared.
 */
export function compressMessages(
  messages: readonly Message[],
  plan: Pick<CompressionPlan, 'head' | 'tail' | 'level'>,
  {
    summary,
    request,
    todos,
  }: { readonly summary: string | null; readonly request: string; readonly todos: readonly Todo[] },
): Message[] {
  const cleared = clearResults(messages, plan);
  if (summary === null || plan.tail <= plan.head) return cleared;
  const kept = requestIndex(messages, request);
  const isInMiddle = kept >= plan.head && kept < plan.tail;
  const open = openTodos(todos).map((todo) => ({ ...todo }));
  const parts = [
    SUMMARY_INTRODUCTION,
    section('summary', summary),
    ...(open.length === 0 ? [] : [`Still to be done:\n${section('todos', open)}`]),
  ];
  return [
    ...cleared.slice(0, plan.head),
    { role: 'user', content: parts.join('\n') },
    ...(isInMiddle ? cleared.slice(kept, kept + 1) : []),
    ...cleared.slice(plan.tail),
  ];
}
