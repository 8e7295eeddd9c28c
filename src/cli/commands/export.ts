import { writeFile } from 'node:fs/promises';
import { type Command, SHARED_OPTIONS } from '../command.ts';
import { countOf } from '../count-of.ts';
import { writeLine } from '../io.ts';
import { usageError } from '../usage-error.ts';

/** Writes a run as one file, with everything redacted that looks like a credential. */
export const exportCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: {
    out: { type: 'string', requiresArg: true, describe: 'File to write (default: the standard output)' },
    ...SHARED_OPTIONS.runsFolder,
  },
  examples: [['orchestrate export last --out run.json', 'A run to hand on']],
  async run(args, io) {
    const { exportLog, openRunStore } = await import('../../compose.ts');
    const exported = await exportLog(openRunStore(args.text('runs-folder')), args.text('run') ?? '');
    const text = `${JSON.stringify(exported)}\n`;
    const out = args.text('out');
    if (out === undefined) writeLine(io.stdout, text);
    else await write(out, text);
    const { events, redacted, runId } = exported;
    writeLine(
      out === undefined ? io.stderr : io.stdout,
      `exported ${runId}: ${countOf(events.length, 'event')}, ${countOf(redacted, 'text')} redacted; the checksums of its log are left out, an import computes them anew`,
    );
    return 0;
  },
};

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`--out ${file}: cannot be written (${reason})`, 'Name another file.');
  }
}
