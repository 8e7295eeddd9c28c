import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { FoundMemories } from '../../../compose/memory-admin-search.ts';
import { type Arguments, type Command } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, readTier, sameMemory, TIER_OPTION, warn, withMemory } from '../../memory-session.ts';
import { renderHit } from '../../memory-text.ts';
import { readCount } from '../../read-amounts.ts';
import { shellWord } from '../../shell-word.ts';
import { tableOptions } from '../../table-options.ts';
import { usageError } from '../../usage-error.ts';

/** Finds what is most like a text, by the search that runs make. */
export const memorySearchCommand: Command = {
  positionals: { text: { type: 'string', describe: 'What to look for' } },
  options: {
    limit: { type: 'string', requiresArg: true, default: '10', describe: 'How many memories at most' },
    by: {
      type: 'string',
      choices: ['fusion', 'vectors', 'words'],
      describe: 'Compare by meaning (vectors), by shared words, or by both (default: as the task says)',
    },
    ...TIER_OPTION,
    ...MEMORY_OPTIONS,
  },
  examples: [
    ['orchestrate memory search "population of Tokyo"', 'The ten that are most like it, and how alike'],
    ['orchestrate memory search "disk full" --tier episodic', 'Among the runs that ended'],
  ],
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => search(memory, args, io)),
};

async function search(memory: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const text = args.text('text') ?? '';
  const limit = Math.min(1000, readCount(args.text('limit'), '--limit') ?? 10);
  if (limit === 0) throw usageError('--limit 0: expected at least 1');
  const { searchMemories } = await import('../../../compose/memory-admin-search.ts');
  const found = await searchMemories(memory, text, {
    limit,
    ...readTier(args),
    ...(args.text('by') === undefined ? {} : { similarity: args.text('by') as FoundMemories['similarity'] }),
  });
  for (const warning of found.warnings) warn(`${warning} (orchestrate doctor says what to do)`, io);
  if (args.isSet('json')) {
    writeLine(io.stdout, JSON.stringify({ scope: memory.scope, ...found }, null, 2));
    return 0;
  }
  const { style, width } = tableOptions(io);
  const nowMs = Date.now();
  for (const hit of found.hits) writeLine(io.stdout, `${renderHit(hit, { style, width, nowMs })}\n`);
  writeLine(io.stdout, style.dim(describeSearch(found, memory.scope)));
  if (found.withoutVector > 0) warn(describeLack(found, sameMemory(args)), io);
  const [best] = found.hits;
  const more = sameMemory(args);
  writeLine(
    io.stdout,
    best === undefined
      ? `\nNext: orchestrate memory list${more} · orchestrate memory stats${more}`
      : `\nNext: orchestrate memory show ${shellWord(best.record.id)}${more}`,
  );
  return 0;
}

const SEARCHES: Readonly<Record<FoundMemories['similarity'], string>> = {
  fusion: 'by meaning and shared words',
  vectors: 'by meaning',
  words: 'by shared words',
};

function describeSearch({ hits, similarity, model, searched }: FoundMemories, scope: string): string {
  const all = `${countOf(searched, 'memory', 'memories')} of scope ${JSON.stringify(scope)}`;
  const found = hits.length === 0 ? `nothing like it among ${all}` : `the best ${hits.length} of ${all}`;
  return `${found}, ${SEARCHES[similarity]}${model === undefined ? '' : ` (${model})`}`;
}

function describeLack({ withoutVector, similarity, model }: FoundMemories, more: string): string {
  const lack = `${countOf(withoutVector, 'memory', 'memories')} of the scope without a vector of ${model ?? ''}`;
  const how = similarity === 'vectors' ? 'not compared' : 'compared by words alone';
  return `${lack}: ${how} (orchestrate memory reindex${more})`;
}
