import { createRandom, drawLognormal } from './random.mjs';

/**
 * A small plan as a task would draw it: dependencies in topological order (the last node is the output) and how long
 * each node takes.
 * @typedef {{ deps: number[][], durationsMs: number[] }} TimedPlan
 */

const SIGMA = 1;
const MEDIAN_MS = 1000;

/** @type {readonly ((size: number, random: () => number) => number[][])[]} */
const KINDS = [createGather, createPipelines, createLayers, createReduction, createLoose];

/**
 * Plans of 3-20 nodes in turn of five kinds, the same for the same seed.
 * @param {number} count
 * @param {number} seed
 * @returns {TimedPlan[]}
 */
export function createTimedPlans(count, seed) {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, index) => {
    const size = 3 + Math.floor(random() * 18);
    const deps = (KINDS[index % KINDS.length] ?? createGather)(size, random);
    return { deps, durationsMs: deps.map(() => MEDIAN_MS * drawLognormal(random, SIGMA)) };
  });
}

/**
 * The least time that any walk can take: its longest path, or all the work spread over every slot.
 * @param {TimedPlan} plan
 * @param {number} concurrency
 */
export function lowerBoundMs({ deps, durationsMs }, concurrency) {
  /** @type {number[]} */
  const ends = [];
  for (const [index, needed] of deps.entries()) {
    ends.push((durationsMs[index] ?? 0) + Math.max(0, ...needed.map((dep) => ends[dep] ?? 0)));
  }
  const workMs = durationsMs.reduce((sum, durationMs) => sum + durationMs, 0);
  return Math.max(workMs / concurrency, ...ends);
}

/**
 * Look-ups, then one report.
 * @param {number} size
 */
function createGather(size) {
  return closeOver(Array.from({ length: size - 1 }, () => []));
}

/**
 * The same few steps for each of several subjects, then one report.
 * @param {number} size
 * @param {() => number} random
 */
function createPipelines(size, random) {
  const subjects = 1 + Math.floor(random() * Math.min(6, size - 1));
  return closeOver(
    Array.from({ length: size - 1 }, (_, index) => (index < subjects ? [] : [index - subjects])),
  );
}

/**
 * Layers of 2-5 nodes, 1-2 dependencies each on the layer before.
 * @param {number} size
 * @param {() => number} random
 */
function createLayers(size, random) {
  const width = 2 + Math.floor(random() * 4);
  return closeOver(
    Array.from({ length: size - 1 }, (_, index) => {
      const start = Math.floor(index / width) * width - width;
      return start < 0 ? [] : pickSome(random, start, start + width, 2);
    }),
  );
}

/**
 * Leaves that are merged two by two down to one.
 * @param {number} size
 */
function createReduction(size) {
  const leaves = Math.ceil(size / 2);
  return Array.from({ length: 2 * leaves - 1 }, (_, index) =>
    index < leaves ? [] : [2 * (index - leaves), 2 * (index - leaves) + 1],
  );
}

/**
 * Each node needs up to three of the nodes before it.
 * @param {number} size
 * @param {() => number} random
 */
function createLoose(size, random) {
  return closeOver(
    Array.from({ length: size - 1 }, (_, index) => (random() < 0.3 ? [] : pickSome(random, 0, index, 3))),
  );
}

/**
 * One to `most` different numbers from `start` up to but without `end`; none where there are none.
 * @param {() => number} random
 * @param {number} start
 * @param {number} end
 * @param {number} most
 */
function pickSome(random, start, end, most) {
  const wanted = 1 + Math.floor(random() * most);
  const picked = Array.from({ length: wanted }, () => start + Math.floor(random() * (end - start)));
  return end > start ? [...new Set(picked)] : [];
}

/**
 * Adds the output: a node that needs whatever nobody else does.
 * @param {number[][]} deps
 */
function closeOver(deps) {
  const used = new Set(deps.flat());
  const loose = deps.map((_, index) => index).filter((index) => !used.has(index));
  return [...deps, loose];
}
