import { type Command, SHARED_OPTIONS } from '../command.ts';
import { countOf } from '../count-of.ts';
import { writeLine } from '../io.ts';
import { nextCommands } from '../next-commands.ts';

/** Takes an exported run in as a run of this folder. */
export const importCommand: Command = {
  positionals: { file: { type: 'string', describe: 'A file that orchestrate export wrote' } },
  options: { ...SHARED_OPTIONS.runsFolder },
  async run(args, io) {
    const runsFolder = args.text('runs-folder');
    const { importLog, openRunStore } = await import('../../compose.ts');
    const { runId, events, redacted } = await importLog(openRunStore(runsFolder), args.text('file') ?? '');
    const hole =
      redacted === 0 ? '' : `; ${countOf(redacted, 'text')} had been redacted, so a replay may differ there`;
    writeLine(
      io.stdout,
      `imported ${runId}: ${countOf(events, 'event')}; the checksums of its log were computed anew${hole}`,
    );
    writeLine(io.stdout, `\nNext: ${nextCommands({ runId, status: 'verified' }, runsFolder).join(' · ')}`);
    return 0;
  },
};
