import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { Arguments, Command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { listenForInterrupt } from '../../interrupt.ts';
import { type Io, writeLine } from '../../io.ts';
import { createMemoryProgress } from '../../memory-progress.ts';
import { MEMORY_OPTIONS, withMemory } from '../../memory-session.ts';
import { formatCount } from '../../../views/format-amounts.ts';

/** Gives each memory of a scope a vector of the model in use. */
export const memoryReindexCommand: Command = {
  options: {
    all: { type: 'boolean', describe: 'Those too that have a vector of this model already' },
    ...MEMORY_OPTIONS,
  },
  examples: [['orchestrate memory reindex', 'After another model was chosen, or one was missing']],
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => reindex(memory, args, io)),
};

async function reindex(memory: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const { reindexMemory } = await import('../../../compose/memory-admin-reindex.ts');
  const progress = createMemoryProgress('embedding', io);
  const interrupt = listenForInterrupt(
    () => progress.note('Interrupted: what was embedded is kept. Ctrl-C again ends at once.'),
    () => progress.close(),
  );
  try {
    const { embedded, entries, model } = await reindexMemory(memory, {
      all: args.isSet('all'),
      signal: interrupt.signal,
      onProgress: (done, all) => progress.show(done, all, `${formatCount(done)} of ${formatCount(all)}`),
    });
    progress.close();
    const { scope } = memory;
    if (args.isSet('json')) writeLine(io.stdout, JSON.stringify({ scope, embedded, entries, model }));
    else writeLine(io.stdout, describe(embedded, entries, `scope ${JSON.stringify(scope)}`, model));
    return 0;
  } finally {
    progress.close();
    interrupt.dispose();
  }
}

function describe(embedded: number, entries: number, scope: string, model: string): string {
  if (entries === 0) return `Nothing is remembered in ${scope}.`;
  if (embedded === 0) return `Every memory of ${scope} has a vector of ${model} already.`;
  return `embedded ${countOf(embedded, 'memory', 'memories')} of ${scope} with ${model}`;
}
