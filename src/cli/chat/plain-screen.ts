import { createInterface } from 'node:readline';
import { widthOf, type Io, writeLine } from '../io.ts';
import type { ChatListener, ChatScreen } from './chat-screen.ts';

const FALLBACK_COLUMNS = 160;

/**
 * A conversation by lines: each line of the standard input is one message, answers go to the standard output and everything
 * else to the error stream. With `isSilent` the answers are somebody else's to write, without `isReading` the lines too.
 */
export function openPlainScreen(
  io: Io,
  listener: ChatListener,
  { isSilent, isReading }: { readonly isSilent: boolean; readonly isReading: boolean },
): ChatScreen {
  const reader = isReading ? createInterface({ input: io.stdin, terminal: false }) : null;
  const onInterrupt = (): void => listener.onInterrupt();
  reader?.on('line', (line) => listener.onLine(line));
  reader?.on('close', () => listener.onEnd());
  process.on('SIGINT', onInterrupt);
  return {
    isStreaming: false,
    columns: widthOf(io.stderr, io.env, FALLBACK_COLUMNS),
    delta: () => undefined,
    endAnswer: () => undefined,
    answer: (text) => {
      if (!isSilent) writeLine(io.stdout, text);
    },
    note: (text) => writeLine(io.stderr, text),
    status: () => undefined,
    prompt: (text) => {
      if (text !== '') writeLine(io.stderr, text);
      else if (isReading && io.stdin.isTTY === true) io.stderr.write('> ');
    },
    close: () => {
      process.off('SIGINT', onInterrupt);
      reader?.close();
    },
  };
}
