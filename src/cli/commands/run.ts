import { readFile } from 'node:fs/promises';
import type { RunResult } from '../../index.ts';
import { chooseApproval } from '../approvals.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../command.ts';
import { exportSpans } from '../export-spans.ts';
import { listenForInterrupt } from '../interrupt.ts';
import { canRedraw, type Io, writeLine } from '../io.ts';
import { nextCommands } from '../next-commands.ts';
import { createLiveProgress } from '../progress/live-progress.ts';
import type { FlightEvent } from '../../index.ts';
import type { Progress } from '../progress/observed.ts';
import { createPlainProgress } from '../progress/plain-progress.ts';
import { renderResult } from '../result-text.ts';
import { createStyle } from '../style.ts';
import { usageError } from '../usage-error.ts';

/** Runs a task and prints its result; the exit code says how it ended. */
export const runCommand: Command = {
  positionals: { file: { type: 'string', describe: 'The task file' } },
  options: {
    ...SHARED_OPTIONS.input,
    plan: {
      type: 'string',
      requiresArg: true,
      describe: 'Run exactly this plan (from orchestrate plan --out)',
    },
    'run-id': { type: 'string', requiresArg: true, describe: 'Id of the run (default: by the time)' },
    ...SHARED_OPTIONS.yes,
    ...SHARED_OPTIONS.json,
    otlp: {
      type: 'string',
      requiresArg: true,
      describe: 'Send spans to this OTLP endpoint when the run has ended',
    },
    ...SHARED_OPTIONS.runsFolder,
  },
  takesTaskFields: true,
  examples: [
    ['orchestrate run task.yaml --input cities=Paris,Osaka', 'With another input'],
    ['orchestrate run task.yaml --budget.toolCalls=20', 'With a smaller budget'],
    ['orchestrate run task.yaml --json | jq .answer', 'For programs'],
  ],
  async run(args, io) {
    const file = args.text('file') ?? '';
    const isJson = args.isSet('json');
    const { result, events } = await performRun(file, args, io);
    for (const warning of result.warnings ?? []) writeLine(io.stderr, `warning: ${warning}`);
    if (isJson) writeLine(io.stdout, JSON.stringify(result, null, 2));
    else printResult(result, args.text('runs-folder'), io);
    await exportSpans(events, args.text('otlp'), io);
    return result.exitCode;
  },
};

async function performRun(
  file: string,
  args: Arguments,
  io: Io,
): Promise<{ result: RunResult; events: readonly FlightEvent[] }> {
  const { orchestrate } = await import('../../compose.ts');
  const plan = await readPlan(args.text('plan'));
  const progress = createProgress(args.isSet('json') ? io.stderr : io.stdout, io);
  const interrupt = listenForInterrupt(
    () => progress.note('Interrupted: ending in order, the log is kept. Ctrl-C again ends at once.'),
    () => progress.close(),
  );
  const events: FlightEvent[] = [];
  const approve = chooseApproval(args.isSet('yes'), progress, interrupt.signal, io);
  const runId = args.text('run-id');
  const runsFolder = args.text('runs-folder');
  try {
    const result = await orchestrate({
      task: file,
      flags: args.taskFlags,
      env: io.env,
      ...(plan === undefined ? {} : { plan }),
      ...(runId === undefined ? {} : { runId }),
      ...(runsFolder === undefined ? {} : { runsFolder }),
      ...(approve === undefined ? {} : { approve }),
      signal: interrupt.signal,
      onEvent: (event, state) => {
        events.push(event);
        progress.onEvent(event, state);
      },
    });
    return { result, events };
  } finally {
    progress.close();
    interrupt.dispose();
  }
}

function createProgress(stream: Io['stdout'], io: Io): Progress {
  const style = createStyle(stream, io.env);
  return canRedraw(stream, io.env)
    ? createLiveProgress(stream, style, io.env)
    : createPlainProgress(stream, style);
}

async function readPlan(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `--plan ${path}: cannot be read (${reason})`,
      '`orchestrate plan FILE --out plan.json` writes one.',
    );
  }
}

function printResult(result: RunResult, runsFolder: string | undefined, io: Io): void {
  writeLine(io.stdout, renderResult(result, createStyle(io.stdout, io.env)));
  const again = ANOTHER_TRY[result.status];
  const next = [...nextCommands(result, runsFolder), ...(again === undefined ? [] : [again])];
  writeLine(io.stdout, `\nNext: ${next.join(' · ')}`);
}

const ANOTHER_TRY: Partial<Record<RunResult['status'], string>> = {
  budget: 'the same command with a larger budget',
  waiting: 'the same command with --yes',
};
