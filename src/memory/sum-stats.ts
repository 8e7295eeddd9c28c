import type { MemoryStats, MemoryTier, ModelStats } from '../contracts/memory.ts';

/** What the figures of a scope are summed from. */
export interface StatsRow {
  readonly tier: MemoryTier;
  readonly model: string;
  readonly dimensions: number;
  readonly entries: number;
  readonly bytes: number;
  readonly oldest: number;
  readonly newest: number;
}

/** The figures of a scope out of those of its parts. */
export function sumStats(rows: readonly StatsRow[]): MemoryStats {
  const tiers = { episodic: { entries: 0, bytes: 0 }, semantic: { entries: 0, bytes: 0 } };
  const models = new Map<string, ModelStats>();
  for (const { tier, model, dimensions, entries, bytes } of rows) {
    tiers[tier].entries += entries;
    tiers[tier].bytes += bytes;
    const key = `${dimensions} ${model}`;
    models.set(key, { model, dimensions, entries: (models.get(key)?.entries ?? 0) + entries });
  }
  return {
    entries: tiers.episodic.entries + tiers.semantic.entries,
    bytes: tiers.episodic.bytes + tiers.semantic.bytes,
    tiers,
    models: [...models.values()].toSorted(byModel),
    ...(rows.length === 0
      ? {}
      : {
          oldest: Math.min(...rows.map(({ oldest }) => oldest)),
          newest: Math.max(...rows.map(({ newest }) => newest)),
        }),
  };
}

function byModel(a: ModelStats, b: ModelStats): number {
  return a.model < b.model ? -1 : a.model > b.model ? 1 : a.dimensions - b.dimensions;
}
