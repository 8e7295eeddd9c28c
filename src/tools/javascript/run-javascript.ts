import { isOutOfMemory, runInThread } from '../run-in-thread.ts';
import type { JavascriptJob, JavascriptReport } from './javascript-job.ts';

const PACKAGES = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'];

/** Of the thread: the interpreter recurses in it. */
const STACK_MIB = 16;

/** The last look at the clock of a program is no fault of its. */
const GRACE_MS = 1000;

/**
 * Runs a program in QuickJS, which has nothing of this machine but its clock, in a thread of its own that is ended where
 * the interpreter does not keep the limit itself. Rejects with the reason of the signal where that is aborted.
 */
export async function runJavascript(job: JavascriptJob, signal: AbortSignal): Promise<JavascriptReport> {
  const thread = { module: 'javascript/javascript-worker', packages: PACKAGES, data: job };
  const limits = { limitMs: job.timeoutMs, graceMs: GRACE_MS, stackSizeMb: STACK_MIB };
  const end = await runInThread<JavascriptReport>(thread, { ...limits, maxOldGenerationSizeMb: 256 }, signal);
  switch (end.kind) {
    case 'report':
      return end.report;
    case 'late':
      return { kind: 'refused', limit: 'time' };
    case 'gone':
      return { kind: 'refused', limit: 'memory' };
    case 'failed':
      return toReport(end.error);
  }
}

/** How a thread dies of its own limits, or of the interpreter's own faults. */
function toReport(error: unknown): JavascriptReport {
  if (error instanceof RangeError) return { kind: 'refused', limit: 'stack' };
  if (isOutOfMemory(error)) return { kind: 'refused', limit: 'memory' };
  const { message } = error as { message?: unknown };
  return { kind: 'threw', message: `the interpreter failed: ${String(message)}` };
}
