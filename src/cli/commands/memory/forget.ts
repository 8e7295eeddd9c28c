import type { ChosenMemory } from '../../../compose/memory-admin.ts';
import type { Forgetting } from '../../../compose/memory-admin-select.ts';
import type { MemoryRecord } from '../../../index.ts';
import { toOneLine } from '../../../views/text-width.ts';
import { confirm } from '../../ask-person.ts';
import { type Arguments, type Command, SHARED_OPTIONS } from '../../command.ts';
import { countOf } from '../../count-of.ts';
import { type Io, writeLine } from '../../io.ts';
import { MEMORY_OPTIONS, readTier, TIER_OPTION, withMemory } from '../../memory-session.ts';
import { describeAge } from '../../memory-text.ts';
import { readAge, readBytes, readCount } from '../../read-amounts.ts';
import { usageError } from '../../usage-error.ts';

const TOLD_MEMORIES = 20;

/** Forgets memories after asking, and says which. */
export const memoryForgetCommand: Command = {
  positionals: {
    ids: { type: 'string', array: true, describe: 'Ids of memories, or prefixes that only one has' },
  },
  options: {
    'older-than': {
      type: 'string',
      requiresArg: true,
      describe: 'Those that are older than, such as 30d, 12h',
    },
    'max-entries': { type: 'string', requiresArg: true, describe: 'The oldest, until so many are left' },
    'max-size': {
      type: 'string',
      requiresArg: true,
      describe: 'The oldest, until the rest takes at most, such as 20MB',
    },
    ...SHARED_OPTIONS.yes,
    ...TIER_OPTION,
    ...MEMORY_OPTIONS,
  },
  examples: [
    ['orchestrate memory forget note/1a2b', 'One, by a prefix of its id'],
    ['orchestrate memory forget --older-than 30d --tier semantic', 'Facts older than thirty days'],
    ['orchestrate memory forget --max-size 20MB --yes', 'The oldest, until 20 MB are left'],
  ],
  run: (args, io) => withMemory(args, io, { isWriting: false }, (memory) => forget(memory, args, io)),
};

async function forget({ store, scope }: ChosenMemory, args: Arguments, io: Io): Promise<number> {
  const { selectForgotten } = await import('../../../compose/memory-admin-select.ts');
  const nowMs = Date.now();
  const doomed = await selectForgotten(store, scope, readForgetting(args, nowMs));
  const what = `${countOf(doomed.length, 'memory', 'memories')} of scope ${JSON.stringify(scope)}`;
  const isJson = args.isSet('json');
  if (doomed.length > 0 && !(await isSure(doomed, what, nowMs, args, io))) {
    if (isJson) writeLine(io.stdout, JSON.stringify({ scope, forgotten: [] }));
    else writeLine(io.stdout, 'Nothing was forgotten.');
    return 0;
  }
  const ids = doomed.map(({ id }) => id);
  if (ids.length > 0) await store.forget({ scope, ids });
  if (isJson) {
    writeLine(io.stdout, JSON.stringify({ scope, forgotten: ids }, null, 2));
    return 0;
  }
  if (ids.length === 0) {
    writeLine(io.stdout, `Nothing to forget in scope ${JSON.stringify(scope)}.`);
    return 0;
  }
  for (const line of tell(doomed, nowMs)) writeLine(io.stdout, line);
  writeLine(io.stdout, `${what} forgotten.`);
  return 0;
}

function readForgetting(args: Arguments, nowMs: number): Forgetting {
  const names = args.texts('ids');
  const olderThanMs = readAge(args.text('older-than'), '--older-than');
  const keepEntries = readCount(args.text('max-entries'), '--max-entries');
  const keepBytes = readBytes(args.text('max-size'), '--max-size');
  const hasBound = olderThanMs !== null || keepEntries !== null || keepBytes !== null;
  if (names.length > 0) {
    if (hasBound || args.text('tier') !== undefined) throw usageError('ids and bounds exclude each other');
    return { names };
  }
  if (!hasBound) {
    throw usageError(
      'what shall be forgotten?',
      'Give ids, --older-than 30d, --max-entries N or --max-size 20MB; --max-entries 0 forgets all.',
    );
  }
  return {
    ...readTier(args),
    ...(olderThanMs === null ? {} : { olderThan: nowMs - olderThanMs }),
    ...(keepEntries === null ? {} : { keepEntries }),
    ...(keepBytes === null ? {} : { keepBytes }),
  };
}

async function isSure(
  doomed: readonly MemoryRecord[],
  what: string,
  nowMs: number,
  args: Arguments,
  io: Io,
): Promise<boolean> {
  if (args.isSet('yes')) return true;
  if (io.stdin.isTTY !== true) {
    throw usageError(`${what} would be forgotten, but nobody can be asked`, 'Add --yes.');
  }
  for (const line of tell(doomed, nowMs)) writeLine(io.stderr, line);
  return confirm(`Forget ${what}?`, io);
}

function tell(records: readonly MemoryRecord[], nowMs: number): string[] {
  const lines = records
    .slice(0, TOLD_MEMORIES)
    .map((record) => `  ${toOneLine(record.id)}  ${record.tier}, ${describeAge(record, nowMs)}`);
  const rest = records.length - lines.length;
  return rest > 0 ? [...lines, `  … and ${rest} more`] : lines;
}
