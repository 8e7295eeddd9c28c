// Runs in a worker thread: one program in QuickJS, compiled to WebAssembly. Nothing of the host is given to it.
import { parentPort, workerData } from 'node:worker_threads';
import * as variantModule from '@jitl/quickjs-ng-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
  shouldInterruptAfterDeadline,
} from 'quickjs-emscripten-core';
import type { JavascriptJob, JavascriptReport } from './javascript-job.ts';

/** The interpreter's own stack; that of the thread has to be larger, for each of its frames takes several of the other's. */
const STACK_BYTES = 256 * 1024;

/** `console` writes into a text of bounded length, and `print` is how it is read. */
const PRELUDE = `(maxChars) => {
  let printed = '';
  let isCut = false;
  const show = (value) => {
    if (typeof value === 'string') return value;
    try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
  };
  const print = (...values) => {
    if (isCut) return;
    printed += values.map(show).join(' ') + '\\n';
    if (printed.length > maxChars) { printed = printed.slice(0, maxChars); isCut = true; }
  };
  globalThis.console = { log: print, info: print, warn: print, error: print, debug: print };
  return () => JSON.stringify([printed, isCut]);
}`;

/** Some loaders hand a module over as the property `default` of another. */
function variant(): QuickJSSyncVariant {
  const outer = (variantModule as { default: unknown }).default as QuickJSSyncVariant & { default?: unknown };
  return (outer.default ?? outer) as QuickJSSyncVariant;
}

async function run(job: JavascriptJob): Promise<JavascriptReport> {
  const quickjs = await newQuickJSWASMModuleFromVariant(variant());
  parentPort?.postMessage('ready');
  const runtime = quickjs.newRuntime();
  runtime.setMemoryLimit(job.memoryBytes);
  runtime.setMaxStackSize(STACK_BYTES);
  const deadline = Date.now() + job.timeoutMs;
  runtime.setInterruptHandler(shouldInterruptAfterDeadline(deadline));
  const context = runtime.newContext();
  try {
    return evaluate(context, job, () => Date.now() > deadline);
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'refused', limit: 'stack' };
    throw error;
  }
}

function evaluate(context: QuickJSContext, job: JavascriptJob, isLate: () => boolean): JavascriptReport {
  const prelude = context.unwrapResult(context.evalCode(PRELUDE, 'prelude.js'));
  const maxChars = context.newNumber(job.maxPrintedChars);
  const readPrinted = context.unwrapResult(context.callFunction(prelude, context.undefined, maxChars));
  const stringify = context.unwrapResult(context.evalCode('JSON.stringify'));
  const input = context.unwrapResult(context.evalCode(`(${job.input})`, 'input.js'));
  // On the first line, so that lines are counted as the author of the code counts them.
  const source = `(async (input) => {${job.code}\n})`;
  const called = context.evalCode(source, 'code.js');
  if (called.error !== undefined) return failed(context, called.error, isLate());
  const promised = context.callFunction(called.value, context.undefined, input);
  if (promised.error !== undefined) return failed(context, promised.error, isLate());
  const jobs = context.runtime.executePendingJobs();
  if (jobs.error !== undefined) return failed(context, jobs.error, isLate());
  const state = context.getPromiseState(promised.value);
  if (isLate()) return { kind: 'refused', limit: 'time' };
  if (state.type === 'rejected') return failed(context, state.error, false);
  if (state.type === 'pending')
    return { kind: 'threw', message: 'it waits for a promise that nothing resolves' };
  const text = context.callFunction(stringify, context.undefined, state.value);
  if (text.error !== undefined) return failed(context, text.error, isLate());
  const result = textOf(context, text.value);
  if (result !== null && result.length > job.maxResultChars) return { kind: 'refused', limit: 'result' };
  const printed = context.unwrapResult(context.callFunction(readPrinted, context.undefined));
  const [lines, isPrintCut] = JSON.parse(context.getString(printed)) as [string, boolean];
  return { kind: 'returned', result, printed: lines, isPrintCut };
}

function textOf(context: QuickJSContext, handle: QuickJSHandle): string | null {
  return context.typeof(handle) === 'string' ? context.getString(handle) : null;
}

function failed(context: QuickJSContext, error: QuickJSHandle, isLate: boolean): JavascriptReport {
  if (isLate) return { kind: 'refused', limit: 'time' };
  const dumped: unknown = context.dump(error);
  const { name, message, stack } = (typeof dumped === 'object' && dumped !== null ? dumped : {}) as {
    name?: unknown;
    message?: unknown;
    stack?: unknown;
  };
  if (typeof message !== 'string') return { kind: 'threw', message: JSON.stringify(dumped ?? null) };
  if (message === 'out of memory') return { kind: 'refused', limit: 'memory' };
  if (message === 'Maximum call stack size exceeded' || message === 'stack overflow')
    return { kind: 'refused', limit: 'stack' };
  const place = typeof stack === 'string' ? /code\.js:(\d+)/.exec(stack)?.[1] : undefined;
  const where = place === undefined ? '' : ` (line ${place})`;
  return { kind: 'threw', message: `${typeof name === 'string' ? name : 'Error'}: ${message}${where}` };
}

run(workerData as JavascriptJob).then(
  (report) => parentPort?.postMessage(report),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    parentPort?.postMessage({ kind: 'threw', message } satisfies JavascriptReport);
  },
);
