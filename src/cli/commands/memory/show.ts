import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { Arguments, Command } from '../../command.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, sameMemory, withMemory } from '../../memory-session.ts';
import { describeEntry, renderEntry } from '../../memory-text.ts';
import { shellWord } from '../../shell-word.ts';
import { createStyle } from '../../style.ts';

/** Shows all of one memory: what it says, where it comes from, its figures, its vector. */
export const memoryShowCommand: Command = {
  positionals: { id: { type: 'string', describe: 'Id of a memory, or a prefix that only it has' } },
  options: MEMORY_OPTIONS,
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => show(memory, args, io)),
};

async function show({ store, scope }: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const { findMemory } = await import('../../../compose/memory-admin-find.ts');
  const entry = await findMemory(store, scope, args.text('id') ?? '');
  if (args.isSet('json')) {
    writeLine(io.stdout, JSON.stringify({ scope, ...describeEntry(entry) }, null, 2));
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  writeLine(io.stdout, renderEntry(entry, scope, { style, nowMs: Date.now() }));
  const { id, provenance } = entry.record;
  const run = provenance.run === undefined ? '' : `orchestrate show ${shellWord(provenance.run)} · `;
  writeLine(io.stdout, `\nNext: ${run}orchestrate memory forget ${shellWord(id)}${sameMemory(args)}`);
  return 0;
}
