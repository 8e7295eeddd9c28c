import type { Embedding, MemoryEntry, MemoryRecord } from '../contracts/memory.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { hashJson } from '../kernel/hash.ts';
import { keyFigures } from '../memory/key-figures.ts';
import { maskSecrets } from '../memory/mask-secrets.ts';
import type { ChosenMemory } from './memory-admin.ts';

/** A longer text would leave no room for another in a context. */
const MOST_CHARS = 2000;
const MOST_ID_CHARS = 200;

/** What became of a fact that a person told. */
export interface AddedMemory {
  readonly entry: MemoryEntry;
  /** Whether it took the place of one of the same id. */
  readonly isReplaced: boolean;
  /** Whether something in it looked like a credential and was masked. */
  readonly isMasked: boolean;
  /** Why it has no vector, where it could not be had. */
  readonly warning?: string;
}

/**
 * Keeps a fact that a person tells, with its figures. Its id is one of its text where none is given, so that the same
 * is kept once. Throws `usage` for a text or an id that is empty or too long.
 */
export async function addMemory(
  { store, scope, embedder }: Pick<ChosenMemory, 'store' | 'scope' | 'embedder'>,
  given: { readonly text: string; readonly id?: string; readonly at: number },
): Promise<AddedMemory> {
  const { record, isMasked } = toRecord(given);
  let embedding: Embedding | undefined;
  let warning: string | undefined;
  try {
    embedding = await embedder?.embed(record.text);
  } catch (error) {
    const hint = error instanceof OrchestratorError ? ` (${error.hint})` : '';
    warning = `kept without a vector: ${error instanceof Error ? error.message : String(error)}${hint}`;
  }
  const { entries: known } = await store.list({ scope, ids: [record.id], limit: 1 });
  const entry = { record, ...(embedding === undefined ? {} : { embedding }) };
  await store.put(scope, [entry]);
  return { entry, isReplaced: known.length > 0, isMasked, ...(warning === undefined ? {} : { warning }) };
}

function toRecord({ text: given, id, at }: { text: string; id?: string; at: number }): {
  readonly record: MemoryRecord;
  readonly isMasked: boolean;
} {
  const text = maskSecrets(given.trim());
  if (text === '') throw new OrchestratorError('usage', 'there is nothing to remember: the text is empty');
  if (text.length > MOST_CHARS) {
    throw new OrchestratorError('usage', `the text has ${text.length} characters, of at most ${MOST_CHARS}`, {
      hint: 'A memory is one fact; add several.',
    });
  }
  if (id !== undefined && (id === '' || id.length > MOST_ID_CHARS)) {
    throw new OrchestratorError('usage', `the id has ${id.length} characters, of 1 to ${MOST_ID_CHARS}`, {
      hint: 'Leave it out, and it is one of the text.',
    });
  }
  const figures = keyFigures(text);
  const record: MemoryRecord = {
    tier: 'semantic',
    id: id ?? `note/${hashJson(text).slice(0, 12)}`,
    text,
    provenance: { at },
    ...(figures.length === 0 ? {} : { figures }),
  };
  return { record, isMasked: text !== given.trim() };
}
