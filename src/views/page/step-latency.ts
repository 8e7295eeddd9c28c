import type { Waterfall } from './waterfall.ts';

/** How long the calls of one step took, in milliseconds: of one tool, or of the models in one role. */
export interface StepLatency {
  readonly kind: 'tool' | 'model';
  readonly name: string;
  /** Calls that ended, failed ones included. */
  readonly calls: number;
  readonly failed: number;
  readonly minMs: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  readonly totalMs: number;
}

interface Collected {
  readonly kind: StepLatency['kind'];
  readonly name: string;
  readonly lengthsMs: number[];
  failed: number;
}

/** The latencies of every tool and of every role of models, those that took the most time in all first. */
export function stepLatencies({ rows }: Waterfall): StepLatency[] {
  const steps = new Map<string, Collected>();
  for (const row of rows) {
    // The time of an agent is that of its calls.
    if (row.kind === 'agent') continue;
    const isCall = row.kind === 'call';
    const name = isCall ? (row.what.split(' · ')[0] ?? '') : row.kind === 'tool' ? row.label : row.what;
    for (const { kind, startMs, endMs } of row.bars) {
      if (endMs === null || kind === 'waiting' || kind === 'items' || kind === 'lost') continue;
      const key = `${isCall ? 'model' : 'tool'} ${name}`;
      const step = steps.get(key) ?? { kind: isCall ? 'model' : 'tool', name, lengthsMs: [], failed: 0 };
      step.lengthsMs.push(endMs - startMs);
      if (kind !== 'done') step.failed++;
      steps.set(key, step);
    }
  }
  return [...steps.values()].map(summarize).sort((a, b) => b.totalMs - a.totalMs);
}

function summarize({ kind, name, lengthsMs, failed }: Collected): StepLatency {
  const sorted = Float64Array.from(lengthsMs).sort();
  const quantile = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return {
    ...{ kind, name, calls: sorted.length, failed },
    minMs: sorted[0] ?? 0,
    medianMs: quantile(0.5),
    p95Ms: quantile(0.95),
    maxMs: sorted.at(-1) ?? 0,
    totalMs: sorted.reduce((sum, ms) => sum + ms, 0),
  };
}
