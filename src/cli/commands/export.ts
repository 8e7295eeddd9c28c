import { writeFile } from 'node:fs/promises';
import type { ExportedRun } from '../../index.ts';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { countOf } from '../count-of.ts';
import { writeLine } from '../io.ts';
import { isLeft } from '../is-left.ts';
import { usageError } from '../usage-error.ts';

/** Writes a run as one file, JSON or a page, with everything redacted that looks like a credential. */
export const exportCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: {
    html: { type: 'boolean', describe: 'A page for people instead of JSON: one file that needs no network' },
    out: { type: 'string', requiresArg: true, describe: 'File to write (default: the standard output)' },
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [
    ['orchestrate export last --out run.json', 'A run to hand on'],
    ['orchestrate export last --html --out run.html', 'The page of a run'],
  ],
  async run(args, io) {
    const { exportLog, openRunStore } = await import('../../compose.ts');
    const store = openRunStore(args.text('runs-folder'));
    const run = args.text('run') ?? '';
    const isUnheld = await isLeft(store, run);
    const exported = await exportLog(store, run);
    const isPage = args.isSet('html');
    const text = isPage ? await renderPage(exported, isUnheld) : `${JSON.stringify(exported)}\n`;
    const out = args.text('out');
    if (out === undefined) writeLine(io.stdout, text);
    else await write(out, text);
    const { events, redacted, runId } = exported;
    const note = isPage
      ? 'open the page in any browser'
      : 'the checksums of its log are left out, an import computes them anew';
    writeLine(
      out === undefined ? io.stderr : io.stdout,
      `exported ${runId}: ${countOf(events.length, 'event')}, ${countOf(redacted, 'text')} redacted; ${note}`,
    );
    return 0;
  },
};

async function renderPage(exported: ExportedRun, isUnheld: boolean): Promise<string> {
  const { renderExported } = await import('../page-file.ts');
  return renderExported(exported, isUnheld);
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`--out ${file}: cannot be written (${reason})`, 'Name another file.');
  }
}
