import { setTimeout as delay } from 'node:timers/promises';
import type { Io } from './io.ts';

/** By then the terminal has handed over what lay ready in it. */
const DISCARD_MS = 40;

/** Whether the person at the terminal says yes; no where nobody is there, input ends, or the signal is aborted. */
export async function confirm(question: string, io: Io, signal?: AbortSignal): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, io, signal);
  return answer !== null && /^y(es)?$/i.test(answer);
}

/** The line that the person at the terminal writes; null where nobody is there, input ends, or the signal is aborted. */
export async function ask(question: string, io: Io, signal?: AbortSignal): Promise<string | null> {
  if (io.stdin.isTTY !== true || io.stdin.readableEnded === true || signal?.aborted === true) return null;
  const { createInterface } = await import('node:readline');
  io.stderr.write(question);
  // Without `terminal`, Ctrl-C stays a signal to this process instead of a key that readline eats.
  const reader = createInterface({ input: io.stdin, terminal: false });
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

/** Drops the lines that were typed ahead: whoever wrote them had not seen the question yet. */
export async function discardTyped({ stdin }: Io): Promise<void> {
  if (stdin.isTTY !== true) return;
  const drop = (): void => undefined;
  stdin.on('data', drop);
  await delay(DISCARD_MS);
  stdin.off('data', drop);
  stdin.pause();
}
