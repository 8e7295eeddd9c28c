import { pathToFileURL } from 'node:url';
import type { FlightEvent } from '../../index.ts';
import { readRun } from '../../views/read-run.ts';
import { nodeRows, type RunSummary, summarizeRun } from '../../views/summary.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { type Io, widthOf, writeLine } from '../io.ts';
import { isLeft } from '../is-left.ts';
import { isSession } from '../is-session.ts';
import { failureOf, nextCommands } from '../next-commands.ts';
import { createStyle } from '../style.ts';

const PIPED_WIDTH = 120;
/** Of nodes, of the timeline and of decisions, on a terminal. */
const MOST_ROWS = 40;

/** Shows a run: its nodes, when they ran, what it used, the verdict. */
export const showCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, or last' } },
  options: {
    all: { type: 'boolean', describe: 'Every node of a large run, as when it is piped' },
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
    const isUnheld = await isLeft(store, run);
    const events = await store.read(run);
    const reading = readRun(events, undefined, isUnheld);
    const summary = summarizeRun(reading);
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify({ ...summary, nodes: nodeRows(reading) }, null, 2));
      return 0;
    }
    const { showRun } = await import('../../views/show.ts');
    const width = widthOf(io.stdout, io.env, PIPED_WIDTH);
    // Whoever looks at a terminal sees what matters; what is piped is whole.
    const isWhole = args.isSet('all') || io.stdout.isTTY !== true;
    const style = createStyle(io.stdout, io.env);
    const text = showRun(reading, { width, style, ...(isWhole ? {} : { maxRows: MOST_ROWS }) });
    writeLine(io.stdout, text);
    writeLine(io.stdout, `\nNext: ${adviseOn(summary, events, runsFolder)}`);
    return 0;
  },
};

async function showPage(run: string, runsFolder: string | undefined, io: Io): Promise<number> {
  const [{ exportLog, openRunStore }, { writePageFile }, { openBrowser }] = await Promise.all([
    import('../../compose.ts'),
    import('../page-file.ts'),
    import('../open-browser.ts'),
  ]);
  const store = openRunStore(runsFolder);
  const isUnheld = await isLeft(store, run);
  const file = await writePageFile(await exportLog(store, run), isUnheld);
  const address = pathToFileURL(file).href;
  const isOpen = await openBrowser(address, io);
  writeLine(io.stdout, isOpen ? `opened ${address}` : `written; open it in a browser: ${address}`);
  return 0;
}

function adviseOn(
  { runId, status }: RunSummary,
  events: readonly FlightEvent[],
  runsFolder: string | undefined,
): string {
  // What is shown already need not be shown again.
  const about = { runId, status, isSession: isSession(events), failure: failureOf(events) };
  return nextCommands(about, runsFolder, 'show').join(' · ');
}
