import type { Message, SessionLine, TranscribedExchange } from '../index.ts';
import { formatTime } from '../views/format-amounts.ts';
import { visibleText } from '../views/page/visible-text.ts';
import type { Style } from '../views/style.ts';
import { cutToWidth, toOneLine } from '../views/text-width.ts';
import { countOf } from './count-of.ts';

/** A session for a terminal: what was said in full, calls of tools on one line each. */
export function renderSession(
  { session, name, exchanges: count, origin }: SessionLine,
  exchanges: readonly TranscribedExchange[],
  { columns, style }: { readonly columns: number; readonly style: Style },
): string[] {
  const from = origin === null ? '' : `, goes on with ${origin}`;
  const head = `${style.bold(session)} ${toOneLine(name)}: ${countOf(count, 'exchange')}${from}`;
  return [
    head,
    ...exchanges.flatMap(({ key, asked, askedAtMs, status, answer, messages }) => [
      '',
      style.dim(`${key}  ${formatTime(askedAtMs)}  ${status}`),
      style.bold(`> ${visibleText(asked).replaceAll('\n', '\n  ')}`),
      ...callsOf(messages).map(({ text, result }) => {
        const line = `  → ${text}${result === null ? '' : ` ⇒ ${result}`}`;
        return style.dim(cutToWidth(line, columns));
      }),
      ...(answer === null || answer === '' ? [] : [visibleText(answer)]),
    ]),
  ];
}

/** A session as Markdown: questions as headings, calls of tools as a list with their results, then the answer. */
export function sessionAsMarkdown(
  { session, name, startedAtMs }: SessionLine,
  exchanges: readonly TranscribedExchange[],
): string {
  const parts = exchanges.flatMap(({ asked, askedAtMs, status, answer, messages }) => [
    `## ${toOneLine(asked.split('\n')[0] ?? '')}`,
    `*${formatTime(askedAtMs)}, ${status}*`,
    ...(asked.includes('\n')
      ? [
          asked
            .split('\n')
            .map((line) => `> ${line}`)
            .join('\n'),
        ]
      : []),
    ...(callsOf(messages).length === 0 ? [] : [callsOf(messages).map(callItem).join('\n')]),
    ...(answer === null || answer === '' ? [] : [answer]),
  ]);
  const head = [`# ${toOneLine(name)}`, `Session \`${session}\`, begun ${formatTime(startedAtMs)}.`];
  return `${[...head, ...parts].join('\n\n')}\n`;
}

interface CallText {
  readonly text: string;
  /** Null where none came. */
  readonly result: string | null;
}

function callItem({ text, result }: CallText): string {
  return `- ${code(text)}${result === null ? '' : `: ${code(result)}`}`;
}

/** A text as code, with a fence that is longer than any run of backticks in it. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}

function callsOf(messages: readonly Message[]): CallText[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
    ),
  );
  return messages.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : (message.toolCalls ?? []).map(({ id, name, args }) => ({
          text: toOneLine(`${name} ${JSON.stringify(args)}`),
          result: toResult(results.get(id)),
        })),
  );
}

const FENCE = /^<tool-output [^>]*>\n([\s\S]*)\n<\/tool-output [^>]*>$/;

/** What came of a call without the fence that tells the model that it is data. */
function toResult(content: string | undefined): string | null {
  return content === undefined ? null : toOneLine(FENCE.exec(content)?.[1] ?? content);
}
