/**
 * By how much longer work takes on an input that is `factor` times as large: about `factor` where it is linear, its
 * square where it is quadratic. The best of three rounds counts, as other processes only ever make it slower.
 */
export function measureGrowth(
  prepare: (size: number) => () => unknown,
  { size, factor }: { size: number; factor: number },
): number {
  const small = prepare(size);
  const large = prepare(size * factor);
  small();
  let bestSmallMs = Infinity;
  let bestLargeMs = Infinity;
  for (let round = 0; round < 3; round++) {
    bestSmallMs = Math.min(bestSmallMs, timeOf(small));
    bestLargeMs = Math.min(bestLargeMs, timeOf(large));
  }
  return bestLargeMs / bestSmallMs;
}

function timeOf(work: () => unknown): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
