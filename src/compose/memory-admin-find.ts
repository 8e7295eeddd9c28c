import type { MemoryEntry, MemoryStore } from '../contracts/memory.ts';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { OrchestratorError } from '../kernel/errors.ts';
import { listPages } from '../memory/list-pages.ts';

const PAGE = 500;
const TOLD_CANDIDATES = 10;

/** The memory of an id, or of a prefix that only one id has; throws `memory_not_found`. */
export async function findMemory(store: MemoryStore, scope: string, name: string): Promise<MemoryEntry> {
  const exact = await store.list({ scope, ids: [name], limit: 1 });
  if (exact.entries[0] !== undefined) return exact.entries[0];
  const ids: string[] = [];
  const candidates: MemoryEntry[] = [];
  for await (const page of listPages(store, { scope }, PAGE)) {
    for (const entry of page) {
      ids.push(entry.record.id);
      if (name !== '' && entry.record.id.startsWith(name)) candidates.push(entry);
    }
  }
  const [only, ...others] = candidates;
  if (only !== undefined && others.length === 0) return only;
  throw candidates.length > 0 ? ambiguous(name, candidates) : unknown(name, scope, ids);
}

function ambiguous(name: string, candidates: readonly MemoryEntry[]): OrchestratorError {
  const ids = candidates.map(({ record }) => record.id);
  const more = ids.length > TOLD_CANDIDATES ? `, and ${ids.length - TOLD_CANDIDATES} more` : '';
  return new OrchestratorError(
    'memory_not_found',
    `${shown(name)} could be any of ${ids.length} memories: ${ids.slice(0, TOLD_CANDIDATES).join(', ')}${more}`,
    { details: { candidates: ids.slice(0, TOLD_CANDIDATES) }, hint: 'Give more of the id.' },
  );
}

function unknown(name: string, scope: string, ids: readonly string[]): OrchestratorError {
  const near = didYouMean(name, ids);
  return new OrchestratorError(
    'memory_not_found',
    `there is no memory ${shown(name)} in scope ${shown(scope)}`,
    {
      ...(near === null ? {} : { hint: `Did you mean ${near}?` }),
    },
  );
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
