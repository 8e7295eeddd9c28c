import type { MemoryStats, MemoryTier } from '../contracts/memory.ts';

/** What the figures of a scope are summed from. */
export interface StatsRow {
  readonly tier: MemoryTier;
  readonly model: string;
  readonly entries: number;
  readonly bytes: number;
  readonly oldest: number;
  readonly newest: number;
}

/** The figures of a scope out of those of its parts. */
export function sumStats(rows: readonly StatsRow[]): MemoryStats {
  const tiers = { episodic: { entries: 0, bytes: 0 }, semantic: { entries: 0, bytes: 0 } };
  const models = new Map<string, number>();
  for (const { tier, model, entries, bytes } of rows) {
    tiers[tier].entries += entries;
    tiers[tier].bytes += bytes;
    models.set(model, (models.get(model) ?? 0) + entries);
  }
  return {
    entries: tiers.episodic.entries + tiers.semantic.entries,
    bytes: tiers.episodic.bytes + tiers.semantic.bytes,
    tiers,
    models: [...models].map(([model, entries]) => ({ model, entries })).toSorted(byModel),
    ...(rows.length === 0
      ? {}
      : {
          oldest: Math.min(...rows.map(({ oldest }) => oldest)),
          newest: Math.max(...rows.map(({ newest }) => newest)),
        }),
  };
}

function byModel(a: { readonly model: string }, b: { readonly model: string }): number {
  return a.model < b.model ? -1 : a.model > b.model ? 1 : 0;
}
