import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { Arguments, Command } from '../../command.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, sameMemory, warn, withMemory } from '../../memory-session.ts';
import { describeEntry } from '../../memory-text.ts';
import { shellWord } from '../../shell-word.ts';
import { createStyle } from '../../style.ts';

/** Keeps a fact that a person tells. */
export const memoryAddCommand: Command = {
  positionals: { text: { type: 'string', describe: 'The fact, in a sentence or two' } },
  options: {
    id: { type: 'string', requiresArg: true, describe: 'Id of the memory (default: one of its text)' },
    ...MEMORY_OPTIONS,
  },
  examples: [
    ['orchestrate memory add "The staging database is read-only on Sundays"', 'Runs will recall it'],
  ],
  run: (args, io) => withMemory(args, io, { isWriting: true }, (memory) => add(memory, args, io)),
};

async function add(memory: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const id = args.text('id');
  const { addMemory } = await import('../../../compose/memory-admin-add.ts');
  const { entry, isReplaced, isMasked, warning } = await addMemory(memory, {
    text: args.text('text') ?? '',
    at: Date.now(),
    ...(id === undefined ? {} : { id }),
  });
  if (isMasked) warn('what looks like a credential was masked', io);
  if (warning !== undefined) warn(warning, io);
  if (args.isSet('json')) {
    writeLine(
      io.stdout,
      JSON.stringify({ scope: memory.scope, isReplaced, ...describeEntry(entry) }, null, 2),
    );
    return 0;
  }
  const style = createStyle(io.stdout, io.env);
  const how =
    entry.embedding === undefined ? 'without a vector' : `with a vector of ${entry.embedding.model}`;
  writeLine(
    io.stdout,
    `${style.green(isReplaced ? 'replaced' : 'added')} ${entry.record.id} in scope ${JSON.stringify(memory.scope)}, ${how}`,
  );
  writeLine(io.stdout, `\nNext: orchestrate memory show ${shellWord(entry.record.id)}${sameMemory(args)}`);
  return 0;
}
