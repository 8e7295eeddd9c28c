import { nodeRows, type RunSummary, summarizeRun } from '../../views/summary.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { widthOf, writeLine } from '../io.ts';
import { nextCommands } from '../next-commands.ts';
import { createStyle } from '../style.ts';

const PIPED_WIDTH = 120;

/** Shows a run: its nodes, when they ran, what it used, the verdict. */
export const showCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' } },
  options: { ...SHARED_OPTIONS.json, ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const { openRunStore } = await import('../../compose.ts');
    const events = await openRunStore(runsFolder).read(args.text('run') ?? '');
    if (args.isSet('json')) {
      const summary = { ...summarizeRun(events), nodes: nodeRows(events) };
      writeLine(io.stdout, JSON.stringify(summary, null, 2));
      return 0;
    }
    const { showRun } = await import('../../views/show.ts');
    const width = widthOf(io.stdout, io.env, PIPED_WIDTH);
    writeLine(io.stdout, showRun(events, { width, style: createStyle(io.stdout, io.env) }));
    writeLine(io.stdout, `\nNext: ${adviseOn(summarizeRun(events), runsFolder)}`);
    return 0;
  },
};

function adviseOn({ runId, status }: RunSummary, runsFolder: string | undefined): string {
  // What is shown already need not be shown again.
  return nextCommands({ runId, status }, runsFolder, 'show').join(' · ');
}
