import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { MemoryOverview } from '../../../compose/memory-admin-stats.ts';
import { formatAge, formatBytes, formatCount } from '../../../views/format-amounts.ts';
import { renderTable } from '../../../views/table.ts';
import { type Arguments, type Command } from '../../command.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, sameMemory, withMemory } from '../../memory-session.ts';
import { tableOptions } from '../../table-options.ts';

/** Counts what a scope remembers: entries, bytes, vectors by model, and which are missing. */
export const memoryStatsCommand: Command = {
  options: MEMORY_OPTIONS,
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => stats(memory, args, io)),
};

async function stats(memory: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const { overviewMemory } = await import('../../../compose/memory-admin-stats.ts');
  const overview = await overviewMemory(memory);
  if (args.isSet('json')) writeLine(io.stdout, JSON.stringify(overview, null, 2));
  else writeLine(io.stdout, renderOverview(overview, sameMemory(args), io));
  return 0;
}

function renderOverview(overview: MemoryOverview, more: string, io: Io): string {
  const { path, fileBytes, scope, stats: found, model, withoutVector, otherScopes } = overview;
  const options = tableOptions(io);
  const { style } = options;
  const label = (text: string): string => style.bold(text.padEnd(8));
  const amounts = (name: string, { entries, bytes }: { entries: number; bytes: number }): string[] => [
    name,
    formatCount(entries),
    formatBytes(bytes),
  ];
  const table = renderTable(
    [{ title: 'tier' }, { title: 'memories', align: 'right' }, { title: 'size', align: 'right' }],
    [
      amounts('episodic', found.tiers.episodic),
      amounts('semantic', found.tiers.semantic),
      amounts('both', found),
    ],
    options,
  );
  const vectors = found.models.map(({ model: name, dimensions, entries }) =>
    name === ''
      ? `${formatCount(entries)} without`
      : `${formatCount(entries)} of ${name} (${dimensions} dimensions)`,
  );
  const lacking =
    withoutVector === 0
      ? ''
      : `; ${formatCount(withoutVector)} ${withoutVector === 1 ? 'lacks' : 'lack'} one of ${model ?? ''} (orchestrate memory reindex${more})`;
  const ages = [found.oldest, found.newest].flatMap((at) =>
    at === undefined ? [] : [formatAge(Date.now() - at)],
  );
  const span = ages.length === 0 ? 'nothing yet' : [...new Set(ages)].join(' … ');
  return [
    `${label('file')} ${path} ${style.dim(fileBytes === null ? '(not there yet)' : `(${formatBytes(fileBytes)})`)}`,
    `${label('scope')} ${scope}`,
    `${label('age')} ${span}`,
    `${label('vectors')} ${vectors.length === 0 ? 'none yet' : vectors.join(', ')}${lacking}`,
    ...(otherScopes.length === 0
      ? []
      : [
          `${label('others')} ${otherScopes.map(({ scope: name, entries }) => `${name} (${formatCount(entries)})`).join(', ')} ${style.dim('(--scope NAME)')}`,
        ]),
    '',
    ...table,
  ].join('\n');
}
