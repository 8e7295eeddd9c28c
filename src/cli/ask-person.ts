import type { Io } from './io.ts';

/** Whether the person at the terminal says yes; no where nobody is there, input ends, or the signal is aborted. */
export async function confirm(question: string, io: Io, signal?: AbortSignal): Promise<boolean> {
  if (io.stdin.isTTY !== true) return false;
  const { createInterface } = await import('node:readline');
  io.stderr.write(`${question} [y/N] `);
  // Without `terminal`, Ctrl-C stays a signal to this process instead of a key that readline eats.
  const reader = createInterface({ input: io.stdin, terminal: false });
  try {
    const answer = await new Promise<string>((resolve) => {
      reader.once('line', resolve);
      reader.once('close', () => resolve(''));
      signal?.addEventListener('abort', () => resolve(''), { once: true });
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    reader.close();
  }
}
