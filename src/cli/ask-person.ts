import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** The answer of the person at the terminal to a question, trimmed; null where nobody is there or input ends. */
export async function askPerson(question: string, io: Io, signal?: AbortSignal): Promise<string | null> {
  if (io.stdin.isTTY !== true) return null;
  // Without `terminal`, Ctrl-C stays a signal to this process instead of a key that readline eats.
  const reader = createInterface({ input: io.stdin, terminal: false });
  io.stderr.write(question);
  try {
    return await new Promise<string | null>((resolve) => {
      reader.once('line', (line) => resolve(line.trim()));
      reader.once('close', () => resolve(null));
      signal?.addEventListener('abort', () => resolve(null), { once: true });
    });
  } finally {
    reader.close();
  }
}

/** Whether the person at the terminal says yes; no where nobody is there. */
export async function confirm(question: string, io: Io, signal?: AbortSignal): Promise<boolean> {
  const answer = await askPerson(`${question} [y/N] `, io, signal);
  return answer !== null && /^y(es)?$/i.test(answer);
}
