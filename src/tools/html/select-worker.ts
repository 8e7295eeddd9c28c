// Runs in a worker thread: one selector on one page.
import { parentPort, workerData } from 'node:worker_threads';
import { ToolError } from '../../kernel/errors.ts';
import { selectElements, type Taken } from './select-elements.ts';

/** What the thread is asked. */
export interface SelectJob extends Taken {
  readonly html: string;
  readonly selector: string;
}

/** What it answers, after `ready`. */
export type SelectReport =
  | { readonly kind: 'found'; readonly values: readonly string[] }
  | { readonly kind: 'failed'; readonly retry: ToolError['retry']; readonly message: string };

const job = workerData as SelectJob;

function report(message: SelectReport | 'ready'): void {
  parentPort?.postMessage(message);
}

report('ready');
selectElements(job.html, job.selector, job).then(
  (values) => report({ kind: 'found', values }),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    report({ kind: 'failed', retry: error instanceof ToolError ? error.retry : 'PERMANENT', message });
  },
);
