import { runChild } from '../child.mjs';
import { boundedRow, formatNumber } from '../report.mjs';

/**
 * @typedef {import('../children/durable.mjs').DurableInput} DurableInput
 * @typedef {import('../children/durable.mjs').DurableOutput} DurableOutput
 * @typedef {import('../report.mjs').Row} Row
 */

const SIZE = 1000;
const LARGE_SIZE = 100_000;

/**
 * What the file log costs on top of the one in memory.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<Row[]>}
 */
export async function measureDurable({ isQuick }) {
  const warm = { size: SIZE, warmUps: isQuick ? 4 : 15, rounds: isQuick ? 5 : 25 };
  const few = { size: SIZE, warmUps: 1, rounds: isQuick ? 2 : 5 };
  const layered = await measure({ shape: 'layered', effect: 'read', ...warm });
  const rows = [
    boundedRow(`durable layered ${SIZE}, reads: syncs a level`, layered.syncs / layered.levels, 2, {
      unit: '',
      detail: `${layered.syncs} of the log for ${layered.levels} levels; ${layered.otherSyncs} more that make the run's folder and blobs`,
    }),
    boundedRow(
      `durable layered ${SIZE}, reads: CPU a node on top of the log in memory`,
      layered.extraCpuUs,
      30,
      {
        unit: ' µs',
        detail: `${formatNumber(layered.memoryCpuUs)} → ${formatNumber(layered.fileCpuUs)} µs; ${describeWall(layered)}`,
      },
    ),
    describe(`durable layered ${SIZE}, writes`, await measure({ shape: 'layered', effect: 'write', ...few })),
    describe(`durable chain ${SIZE}, reads`, await measure({ shape: 'chain', effect: 'read', ...few })),
    describe(`durable chain ${SIZE}, writes`, await measure({ shape: 'chain', effect: 'write', ...few })),
  ];
  if (isQuick) return rows;
  const large = await measure({ shape: 'layered', effect: 'read', size: LARGE_SIZE, warmUps: 0, rounds: 1 });
  const growth = Math.abs(large.bytesPerNode / layered.bytesPerNode - 1) * 100;
  return [
    ...rows,
    boundedRow(`durable layered: bytes a node, ${SIZE} against ${LARGE_SIZE}`, growth, 5, {
      unit: ' %',
      detail: `${Math.round(layered.bytesPerNode)} → ${Math.round(large.bytesPerNode)} bytes`,
    }),
  ];
}

/** @param {DurableInput} input */
function measure(input) {
  return /** @type {Promise<DurableOutput>} */ (runChild('durable', input));
}

/**
 * @param {string} figure
 * @param {DurableOutput} output
 * @returns {Row}
 */
function describe(figure, output) {
  const { syncs, extraCpuUs } = output;
  return {
    figure,
    measured: `${formatNumber(syncs / SIZE)} syncs and ${formatNumber(extraCpuUs)} µs of CPU a node; ${describeWall(output)}`,
  };
}

/** @param {DurableOutput} output */
function describeWall({ memoryWallUs, fileWallUs }) {
  return `wall ${formatNumber(memoryWallUs)} → ${formatNumber(fileWallUs)} µs`;
}
