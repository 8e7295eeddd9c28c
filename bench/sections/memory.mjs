import { runChild } from '../child.mjs';
import { boundedRow } from '../report.mjs';

/**
 * Heap that a finished run holds, log and state included.
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<import('../report.mjs').Row[]>}
 */
export async function measureMemory({ isQuick }) {
  /** @type {import('../children/memory.mjs').MemoryInput} */
  const input = { size: isQuick ? 10_000 : 100_000 };
  /** @type {import('../children/memory.mjs').MemoryOutput} */
  const { bytesPerNode, events } = await runChild('memory', input, ['--expose-gc']);
  return [
    boundedRow(`layered ${input.size}: heap a node after a collection`, bytesPerNode / 1000, 2.5, {
      unit: ' KB',
      detail: `plan, state and ${(events / input.size).toFixed(2)} events a node`,
    }),
  ];
}
