import { type Command, SHARED_OPTIONS } from '../command.ts';
import { writeLine } from '../io.ts';
import { shellWord } from '../shell-word.ts';
import { createStyle } from '../style.ts';

/** Decides a recorded run again without any call, and names the first difference. */
export const replayCommand: Command = {
  positionals: { run: { type: 'string', describe: 'Id of a run, a unique prefix, last, or a flight.jsonl' } },
  options: {
    strict: { type: 'boolean', describe: 'A changed prompt is an error, not a warning' },
    ...SHARED_OPTIONS.json,
    ...SHARED_OPTIONS.runsFolder,
  },
  async run(args, io) {
    const run = args.text('run') ?? '';
    const runsFolder = args.text('runs-folder');
    const { replayRun } = await import('../../compose.ts');
    const report = await replayRun(run, {
      strict: args.isSet('strict'),
      ...(runsFolder === undefined ? {} : { runsFolder }),
    });
    const { divergence, events, isComplete, warnings } = report;
    if (args.isSet('json')) {
      writeLine(io.stdout, JSON.stringify(report, null, 2));
      return divergence === null ? 0 : 1;
    }
    const style = createStyle(io.stdout, io.env);
    for (const warning of warnings) writeLine(io.stdout, `${style.yellow('warning:')} ${warning}`);
    if (divergence === null) {
      const end = isComplete ? '' : '; the run has not ended';
      writeLine(
        io.stdout,
        `${style.green('same')}: ${events} events, every decision made again as recorded${end}`,
      );
    } else {
      const { seq, type, field, recorded, computed } = divergence;
      writeLine(io.stdout, `${style.red('diverged')} at event ${seq} (${type}), ${field}:`);
      writeLine(io.stdout, `  recorded ${JSON.stringify(recorded)}`);
      writeLine(io.stdout, `  computed ${JSON.stringify(computed)}`);
    }
    if (!run.endsWith('.jsonl')) writeLine(io.stdout, `\nNext: orchestrate show ${shellWord(run)}`);
    return divergence === null ? 0 : 1;
  },
};
