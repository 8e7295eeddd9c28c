/*
 * Which nodes of a run a picture of so many rows shows. Nodes stand below the level of the plan that they are on, items
 * below their foreach node. Where not all have room, what matters most comes first, and the levels of which nothing is
 * shown are folded together with their neighbours. Each call is one pass over the nodes.
 */
import { levelsOf } from '../../views/plan-levels.ts';
import { type ShownState, shownState, type StateCounts } from '../../views/page/shown-state.ts';
import type { RunState } from '../../index.ts';

type Node = RunState['order'][number];
type Plan = NonNullable<RunState['plan']>;

/** Nodes of one level that are shown, or of neighbouring levels none of whose nodes are. */
export interface LevelGroup {
  readonly first: number;
  readonly last: number;
  readonly counts: StateCounts;
  readonly nodes: readonly ShownNode[];
  /** Those of the level that are not shown. */
  readonly hidden: StateCounts;
}

/** A node that is shown, with those of its items that are. */
export interface ShownNode {
  readonly node: Node;
  readonly items: readonly ShownNode[];
  /** States of all items. */
  readonly itemCounts: StateCounts;
  readonly hiddenItems: StateCounts;
}

/** What matters most comes first; what is done gives way before all that is to come. */
const RANKS: Readonly<Record<ShownState, number>> = {
  waiting: 0,
  running: 1,
  retrying: 2,
  failed: 3,
  refused: 4,
  cancelled: 5,
  pending: 6,
  done: 7,
  skipped: 8,
  superseded: 9,
};
const UNDER_WAY = RANKS.retrying;
/** A level that is shown takes a row for itself, one for the levels behind it, and one for what is hidden of it. */
const LEVEL_ROWS = 2;
const HIDDEN_ROWS = 1;
/** So does a foreach node for itself and for its hidden items. */
const PARENT_ROWS = 2;

/** The nodes that are shown in so many rows; `rowsBelow` tells how many rows a node takes below its own. */
export function groupNodes(state: RunState, rows: number, rowsBelow: (node: Node) => number): LevelGroup[] {
  if (state.plan === null) return [];
  const levels = planLevels(state.plan);
  const survey = surveyNodes(state, levels, rowsBelow);
  const all = survey.rows <= rows;
  const chosen = all ? new Set(survey.buckets.flat()) : chooseNodes(survey, rows, levels, rowsBelow);
  return arrange(chosen, survey.counts, levels, all);
}

const known = new WeakMap<Plan, Int32Array>();

function planLevels(plan: Plan): Int32Array {
  const levels = known.get(plan) ?? levelsOf(plan.nodes);
  known.set(plan, levels);
  return levels;
}

interface Survey {
  readonly buckets: readonly Node[][];
  readonly counts: readonly StateCounts[];
  /** What showing everything would take. */
  readonly rows: number;
}

function surveyNodes(state: RunState, levels: Int32Array, rowsBelow: (node: Node) => number): Survey {
  const buckets = Array.from(Object.keys(RANKS), (): Node[] => []);
  const counts: StateCounts[] = [];
  let rows = 0;
  for (const node of state.nodes.values()) {
    const shown = shownState(node.status);
    buckets[RANKS[shown]]?.push(node);
    rows += 1 + rowsBelow(node);
    if (node.parent !== null) continue;
    const level = levels[node.index] ?? 0;
    const ofLevel = (counts[level] ??= {});
    ofLevel[shown] = (ofLevel[shown] ?? 0) + 1;
  }
  return { buckets, counts, rows: rows + counts.length };
}

function chooseNodes(
  { buckets, counts }: Survey,
  rows: number,
  levels: Int32Array,
  rowsBelow: (node: Node) => number,
): Set<Node> {
  const chosen = new Set<Node>();
  const open = new Set<number>();
  const openingCost = (level: number): number => {
    if (open.has(level)) return 0;
    return LEVEL_ROWS + (sumOf(counts[level] ?? {}) > 1 ? HIDDEN_ROWS : 0);
  };
  let left = rows - 1;
  for (const [rank, bucket] of buckets.entries()) {
    for (const node of bucket) {
      if (left <= 0) return chosen;
      if (chosen.has(node)) continue;
      const level = levels[node.index] ?? 0;
      const isNewParent = node.parent !== null && !chosen.has(node.parent);
      const below = rank <= UNDER_WAY ? rowsBelow(node) : 0;
      const cost = 1 + below + (isNewParent ? PARENT_ROWS : 0) + openingCost(level);
      if (cost > left) continue;
      left -= cost;
      open.add(level);
      if (node.parent !== null) chosen.add(node.parent);
      chosen.add(node);
    }
  }
  return chosen;
}

function arrange(
  chosen: ReadonlySet<Node>,
  counts: readonly StateCounts[],
  levels: Int32Array,
  isWhole: boolean,
): LevelGroup[] {
  const byLevel = new Map<number, Node[]>();
  const itemsOf = new Map<Node, Node[]>();
  for (const node of chosen) {
    if (node.parent === null) append(byLevel, levels[node.index] ?? 0, node);
    else append(itemsOf, node.parent, node);
  }
  const groups: LevelGroup[] = [];
  for (const [level, all] of counts.entries()) {
    const nodes = byLevel.get(level)?.sort((a, b) => a.index - b.index);
    const last = groups.at(-1);
    if (nodes === undefined && last?.nodes.length === 0) {
      const merged = addCounts(last.counts, all);
      groups[groups.length - 1] = { ...last, last: level, counts: merged, hidden: merged };
    } else {
      const shown = (nodes ?? []).map((node) => showNode(node, itemsOf.get(node) ?? []));
      const hidden = isWhole ? {} : without(all, nodes ?? []);
      groups.push({ first: level, last: level, counts: all, nodes: shown, hidden });
    }
  }
  return groups;
}

function showNode(node: Node, items: readonly Node[]): ShownNode {
  const itemCounts: StateCounts = {};
  for (const item of node.items ?? []) {
    const shown = shownState(item.status);
    itemCounts[shown] = (itemCounts[shown] ?? 0) + 1;
  }
  const sorted = [...items].sort((a, b) => a.itemIndex - b.itemIndex);
  return {
    ...{ node, itemCounts, hiddenItems: without(itemCounts, items) },
    items: sorted.map((item) => showNode(item, [])),
  };
}

function append<K>(lists: Map<K, Node[]>, key: K, node: Node): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [node]);
  else list.push(node);
}

/** How many there are in all. */
export function sumOf(counts: StateCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function addCounts(a: StateCounts, b: StateCounts): StateCounts {
  const sum: StateCounts = { ...a };
  for (const [state, count] of Object.entries(b) as [ShownState, number][]) {
    sum[state] = (sum[state] ?? 0) + count;
  }
  return sum;
}

function without(counts: StateCounts, nodes: readonly Node[]): StateCounts {
  const rest: StateCounts = { ...counts };
  for (const { status } of nodes) {
    const shown = shownState(status);
    rest[shown] = (rest[shown] ?? 0) - 1;
  }
  return rest;
}
