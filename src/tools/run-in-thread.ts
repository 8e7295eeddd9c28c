import type { ResourceLimits } from 'node:worker_threads';
import { startThread, type ThreadModule } from './start-thread.ts';

/** Starting a thread and what it loads is no fault of the job. */
const START_MS = 15_000;

/** How long a job may take from when its thread is ready, and what its thread may use. */
interface JobLimits extends ResourceLimits {
  readonly limitMs: number;
  /** For a last look at the clock, where the thread keeps the limit itself. */
  readonly graceMs?: number;
}

/** What became of a job: its report, or how its thread ended without one. */
export type JobEnd<Report> =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'late'; readonly limitMs: number }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'gone' };

/**
 * Does one job in a thread of its own, without an environment, whose module posts `ready` and then its report. The thread
 * is ended in any case. Rejects with the reason of the signal where that is aborted.
 */
export async function runInThread<Report>(
  thread: ThreadModule,
  { limitMs, graceMs = 0, ...resourceLimits }: JobLimits,
  signal: AbortSignal,
): Promise<JobEnd<Report>> {
  signal.throwIfAborted();
  const worker = startThread(thread, { resourceLimits, env: {} });
  let abort = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<JobEnd<Report>>((resolve, reject) => {
      const endAfter = (ms: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve({ kind: 'late', limitMs: ms }), ms);
      };
      endAfter(START_MS + limitMs);
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      worker.on('message', (message: Report | 'ready') => {
        if (message === 'ready') endAfter(limitMs + graceMs);
        else resolve({ kind: 'report', report: message });
      });
      worker.once('error', (error: unknown) => resolve({ kind: 'failed', error }));
      worker.once('exit', () => resolve({ kind: 'gone' }));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** Whether a thread died because it needed more memory than it may use. */
export function isOutOfMemory(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
