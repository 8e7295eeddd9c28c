import { pathToFileURL } from 'node:url';
import { nodeRows, type RunSummary, summarizeRun } from '../../views/summary.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, widthOf, writeLine } from '../io.ts';
import { nextCommands } from '../next-commands.ts';
import { createStyle } from '../style.ts';

const PIPED_WIDTH = 120;

/** Shows a run: its nodes, when they ran, what it used, the verdict. */
export const showCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' } },
  options: {
    web: { type: 'boolean', describe: 'As a page, which is opened in the browser' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    if (args.isSet('web')) return showPage(args.text('run') ?? '', runsFolder, io);
    const { openRunStore } = await import('../../compose.ts');
    const store = openRunStore(runsFolder);
    const run = await store.resolve(args.text('run') ?? '');
    const events = await store.read(run);
    const summary = summarizeRun(events);
    const isLeft = summary.status === 'running' && !(await store.isHeld(run));
    if (args.isSet('json')) {
      const shown = { ...summary, ...(isLeft ? { status: 'unfinished' } : {}), nodes: nodeRows(events) };
      writeLine(io.stdout, JSON.stringify(shown, null, 2));
      return 0;
    }
    const { showRun } = await import('../../views/show.ts');
    const width = widthOf(io.stdout, io.env, PIPED_WIDTH);
    writeLine(io.stdout, showRun(events, { width, style: createStyle(io.stdout, io.env), isLeft }));
    writeLine(io.stdout, `\nNext: ${adviseOn(summary, runsFolder)}`);
    return 0;
  },
};

async function showPage(run: string, runsFolder: string | undefined, io: Io): Promise<number> {
  const [{ exportLog, openRunStore }, { writePageFile }, { openBrowser }] = await Promise.all([
    import('../../compose.ts'),
    import('../page-file.ts'),
    import('../open-browser.ts'),
  ]);
  const file = await writePageFile(await exportLog(openRunStore(runsFolder), run));
  const address = pathToFileURL(file).href;
  const isOpen = await openBrowser(address, io);
  writeLine(io.stdout, isOpen ? `opened ${address}` : `written; open it in a browser: ${address}`);
  return 0;
}

function adviseOn({ runId, status }: RunSummary, runsFolder: string | undefined): string {
  // What is shown already need not be shown again.
  return nextCommands({ runId, status }, runsFolder, 'show').join(' · ');
}
