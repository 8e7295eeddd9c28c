import { importBuilt } from './built.mjs';
import { code, pageHead, table } from './markdown.mjs';

/** @type {Record<string, string>} */
const MEANINGS = {
  verified: 'The output node is done and its result passed verification.',
  unverified: 'The output node is done; the task asks for no verification (no checks, `judge: off`).',
  planned: 'The plan was accepted, and only a plan was asked for.',
  failed: 'The run cannot reach its goal. Where the error has an exit code of its own, that one is used.',
  rejected: 'The result failed verification, and neither revision nor replan was left.',
  indeterminate: 'A verdict was due and could not be obtained. Never a pass.',
  budget: 'The budget stopped the run; what was found is printed as a partial result.',
  waiting: 'A call waits for approval, and nobody answers here.',
  interrupted: 'Ctrl-C, SIGTERM or an abort signal ended the run in order. The log is kept.',
};

/** @param {string} root */
export async function renderExitCodesPage(root) {
  const { eventSchemas } = await importBuilt(root, 'flight/events.js');
  const { ERROR_CODES } = await importBuilt(root, 'kernel/errors.js');
  /** @type {string[]} */
  const statuses = [...eventSchemas['run.finished'].shape.status.options, 'interrupted'];
  const rows = [];
  for (const status of statuses) {
    const meaning = MEANINGS[status];
    if (meaning === undefined) throw new Error(`no description of the status ${status}`);
    rows.push([String(await exitCodeOf(status, root)), code(status), meaning]);
  }
  const usage = Object.entries(ERROR_CODES)
    .filter(([, { exit }]) => exit === 2)
    .map(([name]) => `[${code(name)}](errors.md#${name})`);
  return [
    pageHead(
      'Exit codes',
      'src/run/run-result.ts and src/kernel/errors.ts',
      'The exit code of `orchestrate run`; `RunResult.exitCode` of the library is the same.',
    ),
    table(['exit code', 'status', 'meaning'], rows),
    `Exit code 2 means that the command line, the task file, a module or a supplied plan has to be corrected: ${usage.join(', ')}.`,
    '`orchestrate replay` exits with 1 where the log diverges. Every other command exits with 0, or with the code of its [error](errors.md).',
  ].join('\n\n');
}

/**
 * What the library itself makes of a run that ended so.
 * @param {string} status
 * @param {string} root
 */
async function exitCodeOf(status, root) {
  const { taskSchema } = await importBuilt(root, 'contracts/task.js');
  const { foldEvents } = await importBuilt(root, 'run/evolve.js');
  const { toRunResult } = await importBuilt(root, 'run/run-result.js');
  const task = taskSchema.parse({ name: 'n', goal: 'g', tools: ['t'], provider: 'p' });
  const started = {
    seq: 0,
    at: 0,
    type: 'run.started',
    runId: 'r',
    task,
    goal: 'g',
    rules: 1,
    workspace: '/',
  };
  const ended =
    status === 'interrupted'
      ? { seq: 1, at: 0, type: 'run.interrupted' }
      : { seq: 1, at: 0, type: 'run.finished', status, reason: '' };
  return toRunResult(foldEvents([started, ended]), null).exitCode;
}
