import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { nextCommands } from '../next-commands.ts';

/** Says in words why a run, or one node of it, ended as it did. */
export const whyCommand: Command = {
  positionals: {
    run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' },
    node: { type: 'string', describe: 'A node of the run' },
  },
  options: { ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const [{ openRunStore }, { explain }, { summarizeRun }] = await Promise.all([
      import('../../compose.ts'),
      import('../../views/why.ts'),
      import('../../views/summary.ts'),
    ]);
    const events = await openRunStore(runsFolder).read(args.text('run') ?? '');
    writeLine(io.stdout, explain(events, args.text('node')));
    const { runId, status } = summarizeRun(events);
    writeLine(io.stdout, `\nNext: ${nextCommands({ runId, status }, runsFolder, 'why').join(' · ')}`);
    return 0;
  },
};
