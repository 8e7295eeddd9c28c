import { type Arguments, type Command, SHARED_OPTIONS, WATCH_OPTIONS } from '../command.ts';
import { usageError } from '../usage-error.ts';
import { watchRun } from '../watch-run.ts';

/** Begins a new run with the beginning of a recorded one; the exit code says how it ended. */
export const forkCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' } },
  options: {
    at: {
      type: 'string',
      requiresArg: true,
      describe:
        'A node, before whose start the fork leaves, or the number of the last event taken over (default: before the first plan)',
    },
    set: {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'Another argument, as node.args.name=value; may be given more than once',
    },
    provider: { type: 'string', requiresArg: true, describe: 'Another provider, by name or module' },
    goal: { type: 'string', requiresArg: true, describe: 'Another goal' },
    'run-id': { type: 'string', requiresArg: true, describe: 'Id of the new run (default: by the time)' },
    ...WATCH_OPTIONS,
    ...SHARED_OPTIONS.runsFolder,
  },
  takesTaskFields: 'budget',
  bareValues: { yes: 'write' },
  examples: [
    ['orchestrate fork last --at report --set report.args.title=Cities', 'The same run with another report'],
    ['orchestrate fork last --goal "Compare them by area"', 'The same task with another goal'],
  ],
  async run(args, io) {
    const { forkTask } = await import('../../compose.ts');
    const at = args.text('at');
    const goal = args.text('goal');
    const providerName = args.text('provider');
    const runId = args.text('run-id');
    const set = readChanges(args);
    return watchRun(args, io, (watched) =>
      forkTask(args.text('run') ?? '', {
        flags: args.taskFlags,
        set,
        ...(at === undefined ? {} : { at }),
        ...(goal === undefined ? {} : { goal }),
        ...(providerName === undefined ? {} : { providerName }),
        ...(runId === undefined ? {} : { runId }),
        ...watched,
      }),
    );
  },
};

function readChanges(args: Arguments): Record<string, string> {
  return Object.fromEntries(
    args.texts('set').map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) throw usageError(`--set ${text}: expected node.args.name=value`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}
