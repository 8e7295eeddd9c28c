import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import { renderTable } from '../../../views/table.ts';
import { type Arguments, type Command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, readTier, sameMemory, TIER_OPTION, withMemory } from '../../memory-session.ts';
import { describeAge, describeEntry, describeOrigin } from '../../memory-text.ts';
import { readAge, readCount } from '../../read-amounts.ts';
import { shellWord } from '../../shell-word.ts';
import { tableOptions } from '../../table-options.ts';

/** Lists memories of one scope, the newest first, so many at most. */
export const memoryListCommand: Command = {
  options: {
    limit: {
      type: 'string',
      requiresArg: true,
      default: '20',
      describe: 'How many memories to list; 0 for all',
    },
    'older-than': {
      type: 'string',
      requiresArg: true,
      describe: 'Only memories older than, such as 30d, 12h',
    },
    'newer-than': { type: 'string', requiresArg: true, describe: 'Only memories newer than' },
    ...TIER_OPTION,
    ...MEMORY_OPTIONS,
  },
  examples: [
    ['orchestrate memory list --tier episodic', 'The newest runs that are remembered'],
    ['orchestrate memory list --newer-than 7d --limit 0', 'All of this week'],
  ],
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => list(memory, args, io)),
};

async function list(memory: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const limit = readCount(args.text('limit'), '--limit') ?? 0;
  const olderThanMs = readAge(args.text('older-than'), '--older-than');
  const newerThanMs = readAge(args.text('newer-than'), '--newer-than');
  const nowMs = Date.now();
  const { listMemories } = await import('../../../compose/memory-admin-select.ts');
  const { entries, total } = await listMemories(
    memory.store,
    {
      scope: memory.scope,
      ...readTier(args),
      ...(olderThanMs === null ? {} : { before: nowMs - olderThanMs }),
      ...(newerThanMs === null ? {} : { since: nowMs - newerThanMs }),
    },
    limit === 0 ? Number.MAX_SAFE_INTEGER : limit,
  );
  if (args.isSet('json')) {
    const shown = { scope: memory.scope, total, entries: entries.map(describeEntry) };
    writeLine(io.stdout, JSON.stringify(shown, null, 2));
    return 0;
  }
  const more = sameMemory(args);
  const isFiltered = olderThanMs !== null || newerThanMs !== null || args.text('tier') !== undefined;
  if (total === 0) {
    writeLine(
      io.stdout,
      `Nothing${isFiltered ? ' of that kind' : ''} is remembered in scope ${JSON.stringify(memory.scope)}.\n\nNext: orchestrate memory stats${more} · orchestrate memory add "…"${more}`,
    );
    return 0;
  }
  const options = tableOptions(io);
  const columns = [
    { title: 'id', giveWay: 1, minWidth: 24 },
    { title: 'tier' },
    { title: 'age' },
    { title: 'from', giveWay: 3, minWidth: 10 },
    { title: 'text', giveWay: 2, minWidth: 20 },
  ];
  const rows = entries.map(({ record }) => [
    record.id,
    record.tier,
    describeAge(record, nowMs),
    describeOrigin(record),
    record.text,
  ]);
  for (const line of renderTable(columns, rows, options)) writeLine(io.stdout, line);
  const rest = total - entries.length;
  if (rest === 0) writeLine(io.stdout, options.style.dim(countOf(total, 'memory', 'memories')));
  else writeLine(io.stdout, options.style.dim(`… and ${rest} more of ${total} (--limit 0 lists all)`));
  writeLine(io.stdout, `\nNext: orchestrate memory show ${shellWord(entries[0]?.record.id ?? '')}${more}`);
  return 0;
}
