import type { Command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, sameMemory, withMemory } from '../../memory-session.ts';
import { usageError } from '../../usage-error.ts';

const TOLD_PROBLEMS = 10;

/** Takes exported memories into a scope; exit code 1 where a line is none. */
export const memoryImportCommand: Command = {
  positionals: {
    file: { type: 'string', describe: 'A file that memory export wrote (default: the standard input)' },
  },
  options: {
    replace: { type: 'boolean', describe: 'Replace memories of the same id instead of keeping them' },
    ...MEMORY_OPTIONS,
  },
  examples: [['orchestrate memory import memories.jsonl --scope team', 'Into a scope of their own']],
  run: (args, io) =>
    withMemory(args, io, { isWriting: true }, async ({ store, scope }) => {
      const { importFromLines } = await import('../../../compose/memory-admin-transfer.ts');
      const source = chooseSource(args.text('file') ?? '', io);
      const report = await importFromLines(store, scope, source, { isReplacing: args.isSet('replace') });
      const { imported, skipped, masked, refused, problems } = report;
      if (args.isSet('json')) {
        writeLine(io.stdout, JSON.stringify({ scope, ...report }, null, 2));
        return refused > 0 ? 1 : 0;
      }
      for (const { line, message } of problems.slice(0, TOLD_PROBLEMS))
        writeLine(io.stderr, `${source.name}:${line}: ${message}`);
      if (refused > TOLD_PROBLEMS) writeLine(io.stderr, `… and ${refused - TOLD_PROBLEMS} more`);
      const notes = [
        ...(skipped > 0 ? [`${skipped} skipped, which ${skipped === 1 ? 'was' : 'were'} there already`] : []),
        ...(refused > 0 ? [`${countOf(refused, 'line')} left out`] : []),
        ...(masked > 0 ? [`credentials masked in ${masked}`] : []),
      ];
      writeLine(
        io.stdout,
        [
          `imported ${countOf(imported, 'memory', 'memories')} into scope ${JSON.stringify(scope)}`,
          ...notes,
        ].join(', '),
      );
      const more = sameMemory(args);
      writeLine(io.stdout, `\nNext: orchestrate memory list${more} · orchestrate memory reindex${more}`);
      return refused > 0 ? 1 : 0;
    }),
};

/** The parser of the command line gives a lone `-` as an empty text. */
function chooseSource(file: string, io: Io): { readonly name: string; readonly stream?: Io['stdin'] } {
  if (file !== '') return { name: file };
  if (io.stdin.isTTY === true) throw usageError('a file is missing', 'Name one, or pipe it in.');
  return { name: 'the standard input', stream: io.stdin };
}
