/**
 * The middle value; the mean of the two middle ones where their number is even.
 * @param {readonly number[]} values at least one
 */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/**
 * The median of the ratios of two series measured side by side, round by round.
 * @param {readonly number[]} over
 * @param {readonly number[]} under
 */
export function medianRatio(over, under) {
  return median(over.map((value, index) => value / (under[index] ?? NaN)));
}

/**
 * Walks a graph once with a task that watches the order: every node runs exactly once, after its dependencies, and
 * never more at a time than a bounded engine may run. Throws where this does not hold.
 * @param {import('./adapter.mjs').Adapter} adapter
 * @param {import('./shapes.mjs').Graph} graph
 * @param {number} concurrency
 */
export async function verifyWalk(adapter, graph, concurrency) {
  /** @type {Set<number>} */
  const done = new Set();
  let running = 0;
  let peak = 0;
  const runner = await adapter.createRunner(
    graph,
    async (index) => {
      if (done.has(index)) throw new Error(`${adapter.name}: node ${index} ran twice`);
      for (const dep of graph.deps[index] ?? []) {
        if (!done.has(dep)) throw new Error(`${adapter.name}: node ${index} ran before node ${dep}`);
      }
      running += 1;
      peak = Math.max(peak, running);
      await new Promise((resolve) => void setImmediate(resolve));
      running -= 1;
      done.add(index);
    },
    concurrency,
  );
  await runner();
  if (done.size !== graph.deps.length) {
    throw new Error(`${adapter.name}: ${done.size} of ${graph.deps.length} nodes ran`);
  }
  if (adapter.bounded && peak > concurrency) throw new Error(`${adapter.name}: ${peak} nodes ran at a time`);
}

/**
 * One walk of a graph by an engine, as it is measured. `repeats`: how often a round walks it, so that small graphs are
 * seen as often as large ones.
 * @typedef {{ key: string, nodes: number, repeats: number, runner: import('./adapter.mjs').Runner }} Lane
 * @typedef {{ walkUs: number, wholeUs: number, walkCpuUs: number, wholeCpuUs: number }} Figure
 * @typedef {Record<string, Figure>} Figures by key of the lane
 */

/**
 * Medians over interleaved rounds, in microseconds per node, after the warm-up rounds.
 * @param {readonly Lane[]} lanes
 * @param {{ warmUps: number, rounds: number }} rounds
 * @returns {Promise<Figures>}
 */
export async function measureLanes(lanes, { warmUps, rounds }) {
  /** @type {Map<string, Figure[]>} */
  const samples = new Map(lanes.map(({ key }) => [key, []]));
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { key, nodes, repeats, runner } of lanes) {
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const { walk, whole } = await runner();
        if (round < 0) continue;
        samples.get(key)?.push({
          walkUs: (walk.wallMs * 1000) / nodes,
          wholeUs: (whole.wallMs * 1000) / nodes,
          walkCpuUs: (walk.cpuMs * 1000) / nodes,
          wholeCpuUs: (whole.cpuMs * 1000) / nodes,
        });
      }
    }
  }
  return Object.fromEntries([...samples].map(([key, figures]) => [key, medianFigure(figures)]));
}

/**
 * @param {readonly Figure[]} figures
 * @returns {Figure}
 */
function medianFigure(figures) {
  return {
    walkUs: median(figures.map(({ walkUs }) => walkUs)),
    wholeUs: median(figures.map(({ wholeUs }) => wholeUs)),
    walkCpuUs: median(figures.map(({ walkCpuUs }) => walkCpuUs)),
    wholeCpuUs: median(figures.map(({ wholeCpuUs }) => wholeCpuUs)),
  };
}
