// One engine with the raw baseline beside it, in a process of its own.
import { loadAdapter } from '../adapter.mjs';
import { readInput, writeOutput } from '../child.mjs';
import { measureLanes, verifyWalk } from '../measure.mjs';
import { createGraph, SHAPES } from '../shapes.mjs';

/** @typedef {{ engine: string, sizes: readonly number[], concurrency: number, warmUps: number, rounds: number }} WalkerInput */

/** @type {WalkerInput} */
const { engine, sizes, concurrency, warmUps, rounds } = readInput();
const adapters = [await loadAdapter('raw'), await loadAdapter(engine)];
const smallest = Math.min(...sizes);
const noop = async () => {};

const lanes = [];
for (const size of sizes) {
  for (const shape of SHAPES) {
    const graph = createGraph(shape, size);
    for (const adapter of adapters) {
      if (size === smallest) await verifyWalk(adapter, graph, concurrency);
      const runner = await adapter.createRunner(graph, noop, concurrency);
      const repeats = sizes.length === 1 ? 1 : Math.ceil((20 * smallest) / size);
      lanes.push({ key: `${adapter.name} ${shape} ${size}`, nodes: size, repeats, runner });
    }
  }
}
writeOutput(await measureLanes(lanes, { warmUps, rounds }));
