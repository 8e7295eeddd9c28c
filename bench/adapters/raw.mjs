import { startTimer } from '../timer.mjs';

/** The least that walking a graph can cost: promises chained by hand, without a bound.
 * @type {import('../adapter.mjs').Adapter} */
export const adapter = {
  name: 'raw',
  bounded: false,
  createRunner: (graph, run) => Promise.resolve(() => walk(graph.deps, run)),
};

/**
 * @param {number[][]} deps
 * @param {import('../adapter.mjs').RunTask} run
 */
async function walk(deps, run) {
  const elapsed = startTimer();
  /** @type {Promise<void>[]} */
  const promises = [];
  for (const [index, needed] of deps.entries()) {
    const [first] = needed;
    promises.push(
      first === undefined
        ? run(index)
        : (needed.length === 1
            ? /** @type {Promise<unknown>} */ (promises[first])
            : Promise.all(needed.map((dep) => promises[dep]))
          ).then(() => run(index)),
    );
  }
  await Promise.all(promises);
  const walk = elapsed();
  return { walk, whole: walk };
}
