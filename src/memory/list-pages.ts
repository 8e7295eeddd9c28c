import type { ListQuery, MemoryEntry, MemoryStore } from '../contracts/memory.ts';

/** All that a query lists, page by page; what is put or forgotten meanwhile may be in it or not. */
export async function* listPages(
  store: MemoryStore,
  query: Omit<ListQuery, 'limit' | 'after'>,
  pageSize: number,
): AsyncGenerator<readonly MemoryEntry[]> {
  for (let after: string | undefined; ;) {
    const page = await store.list({ ...query, limit: pageSize, ...(after === undefined ? {} : { after }) });
    yield page.entries;
    if (page.next === undefined) return;
    after = page.next;
  }
}
