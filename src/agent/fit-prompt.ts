import type { Message } from '../contracts/model.ts';
import { cutText } from '../kernel/cut-text.ts';
import { keptTail } from './compress.ts';
import { textOf } from './list-steps.ts';
import { repairMessages } from './repair-messages.ts';

const NOTICE = '(Messages in between are not shown: the window of the model is full.)';

/**
 * The messages that are sent: all of them where they fit into `roomTokens`, else fewer and shorter ones, down to the
 * request alone, cut. What is stored is not touched. Whatever is in the history, what is sent fits.
 */
export function fitPrompt(
  messages: readonly Message[],
  request: string,
  roomTokens: number,
  estimate: (messages: readonly Message[]) => number,
): Message[] {
  const whole = repairMessages(messages);
  if (estimate(whole) <= roomTokens) return whole;
  for (const [keepFirst, keepLast, chars] of [
    [3, 20, 2000],
    [1, 10, 1000],
    [1, 4, 500],
    [0, 2, 300],
  ] as const) {
    const fitting = repairMessages(pick(whole, request, keepFirst, keepLast, chars));
    if (estimate(fitting) <= roomTokens) return fitting;
  }
  for (let chars = Math.max(0, roomTokens); chars > 0; chars = Math.floor(chars / 2)) {
    const fitting: Message[] = [{ role: 'user', content: cutText(request, chars) }];
    if (estimate(fitting) <= roomTokens) return fitting;
  }
  return [];
}

function pick(
  messages: readonly Message[],
  request: string,
  keepFirst: number,
  keepLast: number,
  chars: number,
): Message[] {
  const { head, tail } = keptTail(messages, { keepFirst, keepLast });
  const short = messages.map((message) => cutMessage(message, chars));
  return [
    ...short.slice(0, head),
    { role: 'user', content: `${NOTICE}\n\n${cutText(request, 4 * chars)}` },
    ...short.slice(tail),
  ];
}

function cutMessage(message: Message, chars: number): Message {
  switch (message.role) {
    case 'system':
      return message;
    case 'user':
      return { role: 'user', content: cutText(textOf(message.content), chars) };
    case 'tool':
      return { ...message, content: cutText(message.content, chars) };
    case 'assistant':
      return { ...message, content: cutText(message.content, chars) };
  }
}
