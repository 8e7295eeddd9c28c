import { createRandom } from './random.mjs';

/**
 * A graph to walk: for each node, in topological order, the nodes that it depends on. The last node is the output;
 * `layers` lists the same nodes by depth, for engines that only know barriers.
 * @typedef {{ name: string, deps: number[][], layers: number[][] }} Graph
 */

/** The shapes that walkers are measured on. */
export const SHAPES = /** @type {const} */ (['fan', 'layered', 'chain']);

const LAYERED_SEED = 20_250_701;

/**
 * A graph of `size` nodes.
 * @param {string} name one of SHAPES
 * @param {number} size
 * @returns {Graph}
 */
export function createGraph(name, size) {
  if (name === 'fan') return withLayers(name, createFan(size));
  if (name === 'chain') return withLayers(name, createChain(size));
  if (name === 'layered') return withLayers(name, createLayered(size, createRandom(LAYERED_SEED)));
  throw new Error(`No such shape: ${name}`);
}

/** @param {number} size */
function createFan(size) {
  /** @type {number[][]} */
  const deps = Array.from({ length: size - 1 }, () => []);
  return [...deps, deps.map((_, index) => index)];
}

/** @param {number} size */
function createChain(size) {
  return Array.from({ length: size }, (_, index) => (index === 0 ? [] : [index - 1]));
}

/**
 * Layers as wide as the root of the size, 1-3 dependencies each on the layer before, and a last node that needs
 * whatever nobody else does.
 * @param {number} size
 * @param {() => number} random
 */
function createLayered(size, random) {
  const width = Math.max(1, Math.round(Math.sqrt(size)));
  /** @type {number[][]} */
  const deps = [];
  for (let index = 0; index < size - 1; index += 1) {
    const start = Math.floor(index / width) * width - width;
    if (start < 0) {
      deps.push([]);
      continue;
    }
    const wanted = Math.min(width, 1 + Math.floor(random() * 3));
    /** @type {Set<number>} */
    const chosen = new Set();
    while (chosen.size < wanted) chosen.add(start + Math.floor(random() * width));
    deps.push([...chosen]);
  }
  const used = new Set(deps.flat());
  return [...deps, deps.map((_, index) => index).filter((index) => !used.has(index))];
}

/**
 * @param {string} name
 * @param {number[][]} deps
 * @returns {Graph}
 */
function withLayers(name, deps) {
  /** @type {number[]} */
  const depths = [];
  /** @type {number[][]} */
  const layers = [];
  for (const [index, needed] of deps.entries()) {
    const depth = needed.reduce((deepest, dep) => Math.max(deepest, (depths[dep] ?? 0) + 1), 0);
    depths.push(depth);
    (layers[depth] ??= []).push(index);
  }
  return { name, deps, layers };
}
