// What a finished run keeps alive: its events and its state, after a collection. Needs --expose-gc.
import { createPlan, runPlan } from '../adapters/library.mjs';
import { readInput, writeOutput } from '../child.mjs';
import { createGraph } from '../shapes.mjs';

/**
 * @typedef {{ size: number }} MemoryInput
 * @typedef {{ bytesPerNode: number, events: number }} MemoryOutput
 */

/** @type {MemoryInput} */
const { size } = readInput();

/** @param {number} nodes */
function run(nodes) {
  return runPlan(createPlan(createGraph('layered', nodes).deps), {
    run: async () => {},
    walk: 'level',
    concurrency: 64,
  });
}

async function heapUsed() {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

await run(1000);
const before = await heapUsed();
const kept = await run(size);
const after = await heapUsed();
/** @type {MemoryOutput} */
const output = { bytesPerNode: (after - before) / size, events: kept.events.length };
if (kept.state.finished === null) throw new Error('the run is not over');
writeOutput(output);
