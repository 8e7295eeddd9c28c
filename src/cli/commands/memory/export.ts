import type { Command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, withMemory } from '../../memory-session.ts';
import { usageError } from '../../usage-error.ts';

/** Writes the memories of a scope as lines of JSON, with everything masked that looks like a credential. */
export const memoryExportCommand: Command = {
  options: {
    out: { type: 'string', requiresArg: true, describe: 'File to write (default: the standard output)' },
    ...MEMORY_OPTIONS,
  },
  examples: [['orchestrate memory export --out memories.jsonl', 'Memories to hand on']],
  run: (args, io) =>
    withMemory(args, io, { isWriting: false }, async ({ store, scope, path }) => {
      const { exportToLines, writeLines } = await import('../../../compose/memory-admin-transfer.ts');
      const out = args.text('out');
      if (out === '') throw usageError('--out is empty', 'Name a file, or leave it out.');
      const counts = await exportToLines(store, scope, async (lines) => {
        if (out !== undefined) return writeLines(out, lines, { memoryPath: path });
        for await (const line of lines) io.stdout.write(line);
      });
      const { exported, masked } = counts;
      const told = out === undefined ? io.stderr : io.stdout;
      if (args.isSet('json')) writeLine(told, JSON.stringify({ scope, ...counts }));
      else
        writeLine(
          told,
          `exported ${countOf(exported, 'memory', 'memories')} of scope ${JSON.stringify(scope)}, credentials masked in ${masked}`,
        );
      return 0;
    }),
};
