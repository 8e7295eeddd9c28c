import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { JavascriptJob, JavascriptReport } from './javascript-job.ts';

/** TypeScript sources need a loader; built code does not. Compiling the interpreter's packages would only take time. */
const BOOT = `
const { workerData: { entry, jiti, packages } } = require('node:worker_threads');
if (entry.endsWith('.ts')) require(jiti).createJiti(entry, { nativeModules: packages }).import(entry);
else import(entry);
`;

const PACKAGES = ['quickjs-emscripten-core', '@jitl/quickjs-ng-wasmfile-release-sync'];

/** Of the thread: the interpreter recurses in it. */
const STACK_MIB = 16;

/** Starting a thread and the interpreter is no fault of the program; neither is the last look at its clock. */
const START_MS = 15_000;
const GRACE_MS = 1000;

/**
 * Runs a program in QuickJS, which has nothing of this machine but its clock, in a thread of its own that is ended where
 * the interpreter does not keep the limit itself. Rejects with the reason of the signal where that is aborted.
 */
export async function runJavascript(job: JavascriptJob, signal: AbortSignal): Promise<JavascriptReport> {
  signal.throwIfAborted();
  const jiti = createRequire(import.meta.url).resolve('jiti');
  const worker = new Worker(BOOT, {
    eval: true,
    workerData: { ...job, entry: entryUrl().href, jiti, packages: PACKAGES },
    resourceLimits: { stackSizeMb: STACK_MIB, maxOldGenerationSizeMb: 256 },
    env: {},
  });
  let abort = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<JavascriptReport>((resolve, reject) => {
      const endAfter = (limitMs: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => resolve({ kind: 'refused', limit: 'time' }), limitMs);
      };
      endAfter(START_MS + job.timeoutMs);
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      worker.on('message', (report: JavascriptReport | 'ready') => {
        if (report === 'ready') endAfter(job.timeoutMs + GRACE_MS);
        else resolve(report);
      });
      worker.once('error', (error: unknown) => resolve(toReport(error)));
      worker.once('exit', () => resolve({ kind: 'refused', limit: 'memory' }));
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** How a thread dies of its own limits, or of the interpreter's own faults. */
function toReport(error: unknown): JavascriptReport {
  if (error instanceof RangeError) return { kind: 'refused', limit: 'stack' };
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return { kind: 'refused', limit: 'memory' };
  return { kind: 'threw', message: `the interpreter failed: ${String(message)}` };
}

/** The thread's module lies beside this one in the sources and in the library, and in `tools/` beside the bundle. */
function entryUrl(): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('./javascript-worker.ts', here);
  return new URL(
    here.endsWith('.cjs') ? './tools/javascript/javascript-worker.js' : './javascript-worker.js',
    here,
  );
}
