import { z } from 'zod';
import type { Json } from '../kernel/json.ts';
import { type LocalOutcome, refuseLocal } from './local-outcome.ts';

/** The arguments of the memory tool. */
export const memoryArgsSchema = z.strictObject({
  action: z.enum(['list', 'add', 'replace', 'remove']),
  content: z
    .string()
    .trim()
    .min(1)
    .optional()
    .meta({ description: 'The text to add, or what takes the place of the old.' }),
  old: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'A part of the one entry to replace or remove, as it stands there.' }),
});

/**
 * What a call of the memory tool does to the entries. They never hold more than `limitChars` together: what would pass
 * it is refused with the entries as they are, so that the model can make room.
 */
export function applyMemory(
  entries: readonly string[],
  args: Json,
  limitChars: number,
): LocalOutcome<readonly string[]> {
  const parsed = memoryArgsSchema.safeParse(args);
  if (!parsed.success) return refuse(parsed.error.issues[0]?.message ?? 'wrong arguments', entries);
  const { action, content, old } = parsed.data;
  if (action === 'list') return accept(entries, limitChars);
  if (action !== 'remove' && content === undefined) return refuse(`${action} needs content`, entries);
  if (action === 'add') return addEntry(entries, content ?? '', limitChars);
  if (old === undefined) return refuse(`${action} needs old: a part of the entry that is meant`, entries);
  const found = entries.flatMap((entry, index) => (entry.includes(old) ? [index] : []));
  if (found.length !== 1) return refuse(`${found.length} entries hold ${JSON.stringify(old)}`, entries);
  const rest = entries.flatMap((entry, index) => {
    if (index !== found[0]) return [entry];
    return content === undefined || action === 'remove' ? [] : [content];
  });
  return fit(entries, rest, limitChars);
}

function addEntry(
  entries: readonly string[],
  content: string,
  limitChars: number,
): LocalOutcome<readonly string[]> {
  return entries.includes(content)
    ? accept(entries, limitChars)
    : fit(entries, [...entries, content], limitChars);
}

function fit(
  before: readonly string[],
  after: readonly string[],
  limitChars: number,
): LocalOutcome<readonly string[]> {
  const chars = countChars(after);
  // What is too long already may still be made shorter.
  if (chars <= limitChars || chars < countChars(before)) return accept(after, limitChars);
  return refuse(
    `the memory would hold ${chars} characters, ${limitChars} is the limit; replace or remove an entry first`,
    before,
  );
}

function accept(entries: readonly string[], limitChars: number): LocalOutcome<readonly string[]> {
  return {
    ok: true,
    state: entries,
    value: { entries: [...entries], chars: countChars(entries), limit: limitChars },
  };
}

function refuse(message: string, entries: readonly string[]): LocalOutcome<readonly string[]> {
  return refuseLocal(message, { entries: [...entries] });
}

function countChars(entries: readonly string[]): number {
  return entries.reduce((total, entry) => total + entry.length, 0);
}
