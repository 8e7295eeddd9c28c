/* Conversations with the built command, its standard input a pipe. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Ending, startCommand } from '../cli/command.ts';

/** The task of the conversations. */
export const CHAT_TASK = fileURLToPath(new URL('../fixtures/cli/chat/task.yaml', import.meta.url));

/** A conversation under way. */
export interface Chat {
  readonly pid: number;
  /** Writes lines. */
  say(...lines: string[]): void;
  /** Ends the input and awaits the end. */
  end(...lines: string[]): Promise<Ending>;
  /** Resolves when either output holds a text. */
  sees(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<Ending>;
}

/** Starts a conversation in a folder. */
export function startChat(folder: string, ...args: string[]): Chat {
  const { child, ended, written } = startCommand(folder, ['chat', ...args], {}, undefined, 'pipe');
  const { stdin } = child;
  if (stdin === null || child.pid === undefined) throw new Error('the command was not started');
  // Whoever was killed reads no more.
  stdin.on('error', () => undefined);
  let isOver = false;
  void ended.then(() => (isOver = true));
  const say = (...lines: string[]): void => {
    for (const line of lines) stdin.write(`${line}\n`);
  };
  return {
    pid: child.pid,
    say,
    end: (...lines) => {
      say(...lines);
      stdin.end();
      return ended;
    },
    async sees(text) {
      while (!(written.stdout + written.stderr).includes(text)) {
        if (isOver) throw new Error(`ended before ${text}: ${written.stdout}${written.stderr}`);
        await delay(10);
      }
    },
    kill: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

/** A whole conversation: these lines, then the end of the input. */
export function chat(folder: string, args: readonly string[], ...lines: string[]): Promise<Ending> {
  return startChat(folder, ...args).end(...lines);
}

/** The id of the session that a conversation was. */
export function sessionOf({ stderr }: Ending): string {
  return /^session (\S+); next:/m.exec(stderr)?.[1] ?? '';
}

/** The notes that were written in a folder. */
export function notesIn(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'notes.txt'), 'utf8').trimEnd().split('\n');
  } catch {
    return [];
  }
}
