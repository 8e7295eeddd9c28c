import type { MemoryEntry, MemoryRecord, MemoryStore, MemoryTier } from '../contracts/memory.ts';
import { listPages } from '../memory/list-pages.ts';
import { bytesOf } from '../memory/prepared-entry.ts';
import { findMemory } from './memory-admin-find.ts';

const PAGE = 500;

/** Which memories of a scope are meant. */
export interface MemoryFilter {
  readonly scope: string;
  readonly tier?: MemoryTier;
  /** Only memories of a time before this, in epoch milliseconds. */
  readonly before?: number;
  /** Only memories of this time or later. */
  readonly since?: number;
}

/** The newest memories that a filter lets through, and how many it lets through in all. */
export async function listMemories(
  store: MemoryStore,
  filter: MemoryFilter,
  limit: number,
): Promise<{ readonly entries: readonly MemoryEntry[]; readonly total: number }> {
  const { scope, tier, before = Infinity, since = -Infinity } = filter;
  if (before === Infinity && since === -Infinity) {
    const stats = await store.stats(scope);
    const total = tier === undefined ? stats.entries : stats.tiers[tier].entries;
    const query = {
      scope,
      limit: Math.max(1, Math.min(limit, total)),
      ...(tier === undefined ? {} : { tier }),
    };
    return { entries: total === 0 ? [] : (await store.list(query)).entries, total };
  }
  const entries: MemoryEntry[] = [];
  let total = 0;
  for await (const page of listPages(store, { scope, ...(tier === undefined ? {} : { tier }) }, PAGE)) {
    for (const entry of page) {
      const { at } = entry.record.provenance;
      if (at >= before || at < since) continue;
      total += 1;
      if (entries.length < limit) entries.push(entry);
    }
    // They come by time, the newest first.
    if ((page.at(-1)?.record.provenance.at ?? 0) < since) break;
  }
  return { entries, total };
}

/** What is to be forgotten: these, by id or unique prefix, or what any of the bounds leaves no room for. */
export type Forgetting =
  | { readonly names: readonly string[] }
  | {
      readonly tier?: MemoryTier;
      readonly olderThan?: number;
      readonly keepEntries?: number;
      readonly keepBytes?: number;
    };

/** The memories that would be forgotten, the newest first; throws `memory_not_found` for a name of none. */
export async function selectForgotten(
  store: MemoryStore,
  scope: string,
  forgetting: Forgetting,
): Promise<readonly MemoryRecord[]> {
  if ('names' in forgetting) {
    const found = new Map<string, MemoryRecord>();
    for (const name of forgetting.names) {
      const { record } = await findMemory(store, scope, name);
      found.set(record.id, record);
    }
    return [...found.values()];
  }
  const { tier, olderThan = -Infinity, keepEntries = Infinity, keepBytes = Infinity } = forgetting;
  const doomed: MemoryRecord[] = [];
  let entries = 0;
  let bytes = 0;
  for await (const page of listPages(store, { scope, ...(tier === undefined ? {} : { tier }) }, PAGE)) {
    for (const entry of page) {
      entries += 1;
      if (keepBytes < Infinity) bytes += bytesOf(entry);
      if (entry.record.provenance.at < olderThan || entries > keepEntries || bytes > keepBytes)
        doomed.push(entry.record);
    }
  }
  return doomed;
}
