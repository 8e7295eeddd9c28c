import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ToolError } from '../../kernel/errors.ts';
import type { Taken } from './select-elements.ts';
import type { SelectJob, SelectReport } from './select-worker.ts';

const MAX_SELECTOR_CHARS = 500;

/** How long reading a page and a selector on it may take; starting the thread is no fault of theirs. */
const TIME_LIMIT_MS = 10_000;
const START_MS = 15_000;

/** TypeScript sources need a loader; built code does not. Compiling the packages would only take time. */
const BOOT = `
const { workerData: { entry, jiti, packages } } = require('node:worker_threads');
if (entry.endsWith('.ts')) require(jiti).createJiti(entry, { nativeModules: packages }).import(entry);
else import(entry);
`;

const PACKAGES = ['css-select', 'domhandler', 'domutils', 'htmlparser2'];

/**
 * The texts, or attributes, of the elements of a page that a CSS selector finds, in the order of the page. It runs in a
 * thread of its own, which is ended where it takes too long: some selectors and pages never come to an end.
 */
export async function selectCss(
  html: string,
  selector: string,
  { signal, ...taken }: Taken & { readonly signal: AbortSignal },
): Promise<string[]> {
  signal.throwIfAborted();
  if (selector.length > MAX_SELECTOR_CHARS) {
    throw new ToolError('TOOL_MISUSE', `the selector is longer than ${MAX_SELECTOR_CHARS} characters`);
  }
  const jiti = createRequire(import.meta.url).resolve('jiti');
  const job: SelectJob = { html, selector, ...taken };
  const worker = new Worker(BOOT, {
    eval: true,
    workerData: { ...job, entry: entryUrl().href, jiti, packages: PACKAGES },
    resourceLimits: { maxOldGenerationSizeMb: 768 },
    env: {},
  });
  let abort = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const report = await new Promise<SelectReport>((resolve, reject) => {
      const endAfter = (limitMs: number): void => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(tooMuch(`more than ${limitMs} ms`)), limitMs);
      };
      endAfter(START_MS + TIME_LIMIT_MS);
      abort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', abort, { once: true });
      worker.on('message', (message: SelectReport | 'ready') => {
        if (message === 'ready') endAfter(TIME_LIMIT_MS);
        else resolve(message);
      });
      worker.once('error', (error: unknown) => reject(toError(error)));
      worker.once('exit', () => reject(tooMuch('too much memory')));
    });
    if (report.kind === 'failed') throw new ToolError(report.retry, report.message);
    return [...report.values];
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

function tooMuch(what: string): ToolError {
  return new ToolError('TOOL_MISUSE', `the selector takes ${what} for this page; write a simpler one`);
}

/** How a thread dies of its limits, or of what is wrong with this program. */
function toError(error: unknown): Error {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return tooMuch('too much memory');
  return new ToolError('PERMANENT', `the page could not be searched: ${String(message)}`);
}

/** The thread's module lies beside this one in the sources and in the library, and in `tools/` beside the bundle. */
function entryUrl(): URL {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return new URL('./select-worker.ts', here);
  return new URL(here.endsWith('.cjs') ? './tools/html/select-worker.js' : './select-worker.js', here);
}
