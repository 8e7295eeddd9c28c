/** The edges of a plan by position: for each node the positions of the nodes that it depends on, each once. */
export type Dependencies = readonly (readonly number[])[];

const NONE: readonly number[] = [];

/** Positions in an order in which dependencies come first; shorter than the plan where nodes are on or behind a cycle. */
export function topologicalOrder(dependencies: Dependencies): Int32Array {
  const size = dependencies.length;
  const { first, targets } = findDependents(dependencies);
  const open = new Int32Array(size);
  const order = new Int32Array(size);
  let length = 0;
  for (let node = 0; node < size; node++) {
    open[node] = dependencies[node]?.length ?? 0;
    if (open[node] === 0) order[length++] = node;
  }
  for (let index = 0; index < length; index++) {
    const node = order[index] ?? 0;
    const end = first[node + 1] ?? 0;
    for (let edge = first[node] ?? 0; edge < end; edge++) {
      const dependent = targets[edge] ?? 0;
      const left = (open[dependent] ?? 0) - 1;
      open[dependent] = left;
      if (left === 0) order[length++] = dependent;
    }
  }
  return order.subarray(0, length);
}

/** For node n, its dependents are `targets` from `first[n]` up to but without `first[n + 1]`. */
export function findDependents(dependencies: Dependencies): { first: Int32Array; targets: Int32Array } {
  const size = dependencies.length;
  const first = new Int32Array(size + 1);
  for (const list of dependencies)
    for (const dependency of list) first[dependency + 1] = (first[dependency + 1] ?? 0) + 1;
  for (let node = 0; node < size; node++) first[node + 1] = (first[node + 1] ?? 0) + (first[node] ?? 0);
  const targets = new Int32Array(first[size] ?? 0);
  const next = first.slice(0, size);
  for (let node = 0; node < size; node++) {
    for (const dependency of dependencies[node] ?? []) {
      const place = next[dependency] ?? 0;
      targets[place] = node;
      next[dependency] = place + 1;
    }
  }
  return { first, targets };
}

/** The edges among nodes that name their dependencies by id; ids that no node has are left out. */
export function findDependencies(
  nodes: readonly { readonly id: string; readonly deps: readonly string[] }[],
): Dependencies {
  const positions = new Map<string, number>();
  for (let index = 0; index < nodes.length; index++) {
    const id = nodes[index]?.id ?? '';
    if (!positions.has(id)) positions.set(id, index);
  }
  return nodes.map(({ deps }) => positionsOf(deps, positions));
}

/** The positions of ids, each as often as it is named; ids without one are left out. */
export function positionsOf(
  ids: readonly string[],
  positions: ReadonlyMap<string, number>,
): readonly number[] {
  if (ids.length === 0) return NONE;
  // A list that grows by pushing takes room for seventeen.
  const found = new Array<number>(ids.length);
  let length = 0;
  for (let index = 0; index < ids.length; index++) {
    const position = positions.get(ids[index] ?? '');
    if (position !== undefined) found[length++] = position;
  }
  if (length < ids.length) found.length = length;
  return found;
}
