import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { isLeft } from '../is-left.ts';
import { isSession } from '../is-session.ts';
import { failureOf, nextCommands } from '../next-commands.ts';

/** Says in words why a run, or one node of it, ended as it did. */
export const whyCommand: Command = {
  positionals: {
    run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' },
    node: { type: 'string', describe: 'A node of the run' },
  },
  options: { ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const [{ openRunStore }, { explain }, { summarizeRun }, { readRun }] = await Promise.all([
      import('../../compose.ts'),
      import('../../views/why.ts'),
      import('../../views/summary.ts'),
      import('../../views/read-run.ts'),
    ]);
    const store = openRunStore(runsFolder);
    const run = args.text('run') ?? '';
    const isUnheld = await isLeft(store, run);
    const events = await store.read(run);
    const reading = readRun(events, undefined, isUnheld);
    writeLine(io.stdout, explain(reading, args.text('node')));
    const { runId, status } = summarizeRun(reading);
    writeLine(
      io.stdout,
      `\nNext: ${nextCommands({ runId, status, isSession: isSession(events), failure: failureOf(events) }, runsFolder, 'why').join(' · ')}`,
    );
    return 0;
  },
};
