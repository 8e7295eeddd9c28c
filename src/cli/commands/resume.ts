import type { ResumePreview } from '../../index.ts';
import { toOneLine } from '../../views/text-width.ts';
import { type Command, SHARED_OPTIONS, WATCH_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { usageError } from '../usage-error.ts';
import { watchRun } from '../watch-run.ts';

/** Takes a run up and goes on to its end; the exit code says how it ended. */
export const resumeCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' } },
  options: {
    'retry-failed': { type: 'boolean', describe: 'Run what failed or was skipped again; what is done stays' },
    ...WATCH_OPTIONS,
    ...SHARED_OPTIONS.runsFolder,
  },
  takesTaskFields: 'budget',
  bareValues: { yes: 'write' },
  examples: [
    ['orchestrate resume last', 'Go on where the newest run was interrupted'],
    ['orchestrate resume last --budget.tokens=100000', 'Go on with a larger budget'],
    ['orchestrate resume last --retry-failed', 'Try once more what failed'],
  ],
  async run(args, io) {
    const { previewResume, resumeTask } = await import('../../compose.ts');
    const runsFolder = args.text('runs-folder');
    const options = {
      flags: args.taskFlags,
      retryFailed: args.isSet('retry-failed'),
      ...(runsFolder === undefined ? {} : { runsFolder }),
    };
    const preview = await previewResume(args.text('run') ?? '', options);
    if (preview.isSession === true) {
      const { runId } = preview;
      throw usageError(
        `${runId} is a session with an agent`,
        `\`orchestrate chat --resume ${runId}\` goes on with it.`,
      );
    }
    const stream = args.isSet('json') ? io.stderr : io.stdout;
    for (const line of describePreview(preview)) writeLine(stream, line);
    return watchRun(args, io, (watched) => resumeTask(preview.runId, { ...options, ...watched }));
  },
};

const MOST_NAMED = 8;

/** What a resumption will do: the amounts on one line, then what is made again and what is asked. */
function describePreview(preview: ResumePreview): string[] {
  const { runId, keeps, reruns, inDoubt, waiting, denied, pending, drawsPlan = false } = preview;
  const amounts = [
    `keeps ${keeps.length}`,
    `re-runs ${reruns.length}`,
    `in doubt ${inDoubt.length}`,
    ...(waiting.length === 0 ? [] : [`waiting ${waiting.length}`]),
    ...(denied.length === 0 ? [] : [`refuses ${denied.length}`]),
    ...(pending.length === 0 ? [] : [`not begun ${pending.length}`]),
    ...(drawsPlan ? ['draws a plan'] : []),
  ];
  return [
    `resume ${runId}: ${amounts.join(', ')}`,
    ...naming('re-runs', reruns),
    ...naming('in doubt, a person is asked:', inDoubt),
    ...naming('wait for consent:', waiting),
    ...naming('denied by a person:', denied),
  ];
}

function naming(what: string, ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return [toOneLine(`  ${what} ${ids.slice(0, MOST_NAMED).join(', ')}${more}`)];
}
