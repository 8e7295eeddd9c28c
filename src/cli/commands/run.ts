import { readFile } from 'node:fs/promises';
import { type Command, SHARED_OPTIONS, WATCH_OPTIONS } from '../command.ts';
import { usageError } from '../usage-error.ts';
import { watchRun } from '../watch-run.ts';

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
    ...WATCH_OPTIONS,
    ...SHARED_OPTIONS.runsFolder,
  },
  bareValues: { yes: 'write' },
  takesTaskFields: true,
  examples: [
    ['orchestrate run task.yaml --input cities=Paris,Osaka', 'With another input'],
    ['orchestrate run task.yaml --budget.toolCalls=20', 'With a smaller budget'],
    ['orchestrate run task.yaml --json | jq .answer', 'For programs'],
  ],
  async run(args, io) {
    const { orchestrate } = await import('../../compose.ts');
    const plan = await readPlan(args.text('plan'));
    const runId = args.text('run-id');
    return watchRun(args, io, (watched) =>
      orchestrate({
        task: args.text('file') ?? '',
        flags: args.taskFlags,
        ...(plan === undefined ? {} : { plan }),
        ...(runId === undefined ? {} : { runId }),
        ...watched,
      }),
    );
  },
};

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
