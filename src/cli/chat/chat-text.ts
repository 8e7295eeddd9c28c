import type { AgentReply, SessionLine } from '../../index.ts';
import { cutText } from '../../kernel/cut-text.ts';
import { formatCount, formatDuration, formatTime } from '../../views/format-amounts.ts';
import { cutToWidth, toOneLine } from '../../views/text-width.ts';
import { countOf } from '../count-of.ts';

const MOST_LISTED = 15;

/** What is shown of what was asked, where no more than a reminder is wanted. */
export const ASKED_CHARS = 160;

/** What an exchange took, for people. */
export function describeUsage({ usage, metadata }: AgentReply): string {
  const { inputTokens, outputTokens, llmCalls, toolCalls } = usage;
  return [
    countOf(llmCalls, 'model call'),
    ...(toolCalls === 0 ? [] : [countOf(toolCalls, 'tool call')]),
    `${formatCount(inputTokens)} + ${formatCount(outputTokens)} tokens`,
    formatDuration(metadata.elapsedMs),
  ].join(' · ');
}

/** A reply as programs get it: what came of the message, without the conversation, which the session keeps. */
export function replyAsJson({ answer, status, reason, usage, metadata }: AgentReply): object {
  const { session, exchange, rounds, elapsedMs } = metadata;
  return { session, exchange, status, reason, answer, rounds, elapsedMs, usage };
}

/** Sessions that can be gone on with, as lines of a width. */
export function describeSessions(lines: readonly SessionLine[], columns: number): string[] {
  if (lines.length === 0) return ['there is no other session'];
  return lines.slice(0, MOST_LISTED).map((line) => {
    const { session, updatedAtMs, exchanges, lastAsked } = line;
    const said = `  ${session}  ${formatTime(updatedAtMs)}  ${countOf(exchanges, 'exchange')}  ${toOneLine(lastAsked)}`;
    return cutToWidth(said, columns);
  });
}

/** What is told of a session that is gone on with. */
export function describeResumed(
  session: string,
  named: string,
  line: SessionLine | undefined,
  isOpen: boolean,
): string[] {
  const from = session === named ? '' : ` (where ${named} goes on)`;
  const exchanges = line === undefined ? '' : `: ${countOf(line.exchanges, 'exchange')}`;
  const last = cutText(toOneLine(line?.lastAsked ?? ''), ASKED_CHARS);
  if (last === '') return [`going on with session ${session}${from}`];
  return [
    `going on with session ${session}${from}${exchanges}`,
    isOpen ? `and with what was under way: ${last}` : `the last was: ${last}`,
  ];
}
