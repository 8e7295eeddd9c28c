import { stat } from 'node:fs/promises';
import type { MemoryStats } from '../contracts/memory.ts';
import type { ChosenMemory } from './memory-admin.ts';

/** What a memory holds, as far as one scope is concerned. */
export interface MemoryOverview {
  readonly path: string;
  /** Bytes on the disk, what is not yet merged included; null where there is no file. */
  readonly fileBytes: number | null;
  readonly scope: string;
  readonly stats: MemoryStats;
  /** The model in use; null where words decide. */
  readonly model: string | null;
  /** How many memories have no vector of that model. */
  readonly withoutVector: number;
  /** The other scopes of the file, by name and count only. */
  readonly otherScopes: readonly { readonly scope: string; readonly entries: number }[];
}

/** Counts what a memory holds. */
export async function overviewMemory({
  store,
  scope,
  path,
  embedder,
}: Pick<ChosenMemory, 'store' | 'scope' | 'path' | 'embedder'>): Promise<MemoryOverview> {
  const stats = await store.stats(scope);
  const otherScopes: { scope: string; entries: number }[] = [];
  for (const other of await store.scopes()) {
    if (other !== scope) otherScopes.push({ scope: other, entries: (await store.stats(other)).entries });
  }
  const model = embedder === null || embedder.model === '' ? null : embedder.model;
  const withVector = stats.models.filter((one) => one.model === model);
  return {
    path,
    fileBytes: await sizeOnDisk(path),
    scope,
    stats,
    model,
    withoutVector:
      model === null ? 0 : stats.entries - withVector.reduce((sum, { entries }) => sum + entries, 0),
    otherScopes,
  };
}

async function sizeOnDisk(path: string): Promise<number | null> {
  const sizes = await Promise.all(
    ['', '-wal'].map(async (suffix) => (await stat(path + suffix).catch(() => undefined))?.size),
  );
  return sizes[0] === undefined ? null : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
}
