/** Of files that are looked at together: tens of thousands take hundreds of megabytes, and hold up timers and Ctrl-C. */
const AT_A_TIME = 128;

/** What `map` gives for each, in order; so many are waited for at a time. */
export async function mapInBatches<T, R>(
  items: readonly T[],
  map: (item: T) => Promise<R>,
): Promise<Awaited<R>[]> {
  const results: Awaited<R>[] = [];
  for (let at = 0; at < items.length; at += AT_A_TIME)
    results.push(...(await Promise.all(items.slice(at, at + AT_A_TIME).map(map))));
  return results;
}
