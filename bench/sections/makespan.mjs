import { runChild } from '../child.mjs';
import { median } from '../measure.mjs';
import { boundedRow, formatNumber } from '../report.mjs';

const CONCURRENCY = 5;
const SEEDS = [1, 2, 3, 4, 5];

/**
 * How close both walks come to the least time that a plan can take.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<import('../report.mjs').Row[]>}
 */
export async function measureMakespan({ isQuick }) {
  /** @type {import('../children/makespan.mjs').MakespanOutput[]} */
  const outputs = [];
  for (const seed of isQuick ? SEEDS.slice(0, 1) : SEEDS) {
    /** @type {import('../children/makespan.mjs').MakespanInput} */
    const input = { plans: 40, seed, concurrency: CONCURRENCY };
    outputs.push(await runChild('makespan', input));
  }
  const eager = outputs.flatMap(({ ratios }) => ratios.eager);
  const level = outputs.flatMap(({ ratios }) => ratios.level);
  const bound = `max(critical path, work / ${CONCURRENCY})`;
  return [
    boundedRow(`makespan eager / ${bound}`, median(eager), 1.02, {
      unit: ' ×',
      detail: `${describe(eager)}; ${eager.length} plans`,
    }),
    {
      figure: `makespan level / ${bound}`,
      measured: `${formatNumber(median(level))} × (${describe(level)})`,
    },
    boundedRow('peak of running nodes', Math.max(...outputs.map(({ peak }) => peak)), CONCURRENCY, {
      unit: '',
    }),
  ];
}

/** @param {number[]} ratios */
function describe(ratios) {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
  return `mean ${formatNumber(mean)}, worst ${formatNumber(Math.max(...ratios))}`;
}
