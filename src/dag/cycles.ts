import type { Dependencies } from './adjacency.ts';

/**
 * One cycle of each knot of the graph (nodes that all lead to each other), as positions along the dependencies from
 * its first node in plan order: the shortest through it. The last depends on the first, which is not repeated.
 */
export function findCycles(dependencies: Dependencies): readonly (readonly number[])[] {
  const knots = findKnots(dependencies);
  const cycles: (readonly number[])[] = [];
  const seen = new Set<number>();
  for (let node = 0; node < dependencies.length; node++) {
    const knot = knots[node] ?? -1;
    if (seen.has(knot)) continue;
    const cycle = shortestCycle(dependencies, knots, node);
    if (cycle === null) continue;
    seen.add(knot);
    cycles.push(cycle);
  }
  return cycles;
}

/** Breadth first from a node along its dependencies, within its knot, until it is met again. */
function shortestCycle(
  dependencies: Dependencies,
  knots: Int32Array,
  start: number,
): readonly number[] | null {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of dependencies[node] ?? []) {
      if (next === start) {
        const path = [node];
        for (let at = node; at !== start;) path.push((at = cameFrom.get(at) ?? start));
        return path.reverse();
      }
      if (knots[next] !== knots[start] || cameFrom.has(next)) continue;
      cameFrom.set(next, node);
      queue.push(next);
    }
  }
  return null;
}

/** Number of the strongly connected component of each node (Tarjan, with a stack of its own: plans may be deep). */
function findKnots(dependencies: Dependencies): Int32Array {
  const size = dependencies.length;
  const knots = new Int32Array(size).fill(-1);
  const entered = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const cursors = new Int32Array(size);
  const open: number[] = [];
  const walk: number[] = [];
  let [clock, count] = [0, 0];
  for (let root = 0; root < size; root++) {
    if (entered[root] !== -1) continue;
    walk.push(root);
    for (let node = walk.at(-1); node !== undefined; node = walk.at(-1)) {
      if (entered[node] === -1) {
        entered[node] = low[node] = clock++;
        open.push(node);
      }
      const cursor = cursors[node] ?? 0;
      const next = dependencies[node]?.[cursor];
      if (next !== undefined) {
        cursors[node] = cursor + 1;
        if (entered[next] === -1) walk.push(next);
        else if (knots[next] === -1) low[node] = Math.min(low[node] ?? 0, entered[next] ?? 0);
        continue;
      }
      walk.pop();
      const parent = walk.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[node] ?? 0);
      if (low[node] !== entered[node]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        knots[member] = count;
        if (member === node) break;
      }
      count++;
    }
  }
  return knots;
}
