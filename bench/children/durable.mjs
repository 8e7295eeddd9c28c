// What it costs to keep a run on disk: the same walk with the log in memory beside it, round by round.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore, createPlan, runPlan } from '../adapters/library.mjs';
import { readInput, writeOutput } from '../child.mjs';
import { median } from '../measure.mjs';
import { createGraph } from '../shapes.mjs';

/**
 * @typedef {{ shape: string, size: number, effect: 'read' | 'write', warmUps: number, rounds: number }} DurableInput
 * @typedef {{ memoryCpuUs: number, fileCpuUs: number, extraCpuUs: number, memoryWallUs: number, fileWallUs: number,
 *   syncs: number, otherSyncs: number, levels: number, bytesPerNode: number }} DurableOutput medians; times in microseconds a node
 */

/** @type {DurableInput} */
const { shape, size, effect, warmUps, rounds } = readInput();
const graph = createGraph(shape, size);
const plan = createPlan(graph.deps);
const run = async () => {};
const root = await mkdtemp(join(tmpdir(), 'sortie-bench-'));

/** @param {import('../adapters/library.mjs').RunOptions['store']} store */
async function measure(store) {
  const usage = process.cpuUsage();
  const { walkMs } = await runPlan(plan, { run, effect, walk: 'level', concurrency: 64, store });
  const { user, system } = process.cpuUsage(usage);
  return { cpuUs: (user + system) / size, wallUs: (walkMs * 1000) / size };
}

/** @type {{ memory: { cpuUs: number, wallUs: number }, file: { cpuUs: number, wallUs: number }, syncs: { log: number, other: number }, bytes: number }[]} */
const samples = [];
try {
  for (let round = -warmUps; round < rounds; round += 1) {
    const memory = await measure(undefined);
    const folder = join(root, `round-${round + warmUps}`);
    const { store, countSyncs } = createFileStore(folder);
    const file = await measure(store);
    const sample = { memory, file, syncs: countSyncs(), bytes: await measureFolder(folder) };
    if (round >= 0) samples.push(sample);
    await rm(folder, { recursive: true });
  }
} finally {
  await rm(root, { recursive: true, force: true });
}

/** @type {DurableOutput} */
const output = {
  memoryCpuUs: median(samples.map(({ memory }) => memory.cpuUs)),
  fileCpuUs: median(samples.map(({ file }) => file.cpuUs)),
  extraCpuUs: median(samples.map(({ memory, file }) => file.cpuUs - memory.cpuUs)),
  memoryWallUs: median(samples.map(({ memory }) => memory.wallUs)),
  fileWallUs: median(samples.map(({ file }) => file.wallUs)),
  syncs: median(samples.map(({ syncs }) => syncs.log)),
  otherSyncs: median(samples.map(({ syncs }) => syncs.other)),
  levels: graph.layers.length,
  bytesPerNode: median(samples.map(({ bytes }) => bytes)) / size,
};
writeOutput(output);

/**
 * Bytes of all files below a folder.
 * @param {string} folder
 */
async function measureFolder(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size);
  return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
}
