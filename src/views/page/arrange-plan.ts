/* Which boxes the graph of a plan is drawn with: one a node, or one for many nodes of a crowded level. */
import type { PlanCard } from './plan-graph.ts';
import type { ShownState } from './shown-state.ts';

/** A box: one node, or a group of them that is folded or laid open. */
export interface PlanBox {
  readonly key: string;
  readonly level: number;
  /** What a group is called; the id of a node. */
  readonly label: string;
  readonly kind: 'node' | 'group';
  readonly isOpen: boolean;
  readonly cards: readonly PlanCard[];
}

/** An edge between boxes, from what is needed to what needs it. */
export interface BoxEdge {
  readonly from: string;
  readonly to: string;
  readonly isCritical: boolean;
  /** What is needed may fail. */
  readonly isOptional: boolean;
}

/** Boxes and edges of a plan. */
export interface Arrangement {
  readonly boxes: readonly PlanBox[];
  readonly edges: readonly BoxEdge[];
  /** Keys of the boxes by the ids of the nodes that they hold. */
  readonly boxOf: ReadonlyMap<string, string>;
}

/** Up to so many nodes of a level are drawn one by one. */
const ROOMY = 12;
/** Nodes of a crowded level that stay by themselves, because something is the matter with them. */
const MOST_SINGLED_OUT = 3;
/** Fewer of a kind make no group. */
const LEAST_OF_A_GROUP = 4;

const SINGLED_OUT: ReadonlySet<ShownState> = new Set(['failed', 'refused', 'waiting', 'retrying']);

/** The boxes of a plan; those groups are laid open whose keys are given. */
export function arrangePlan(cards: readonly PlanCard[], open: ReadonlySet<string>): Arrangement {
  const levels: PlanCard[][] = [];
  for (const card of cards) (levels[card.level] ??= []).push(card);
  const boxes = levels.flatMap((level, index) => arrangeLevel(level, index, open));
  const boxOf = new Map(boxes.flatMap(({ key, cards: held }) => held.map(({ id }) => [id, key] as const)));
  return { boxes, edges: edgesBetween(cards, boxOf), boxOf };
}

function arrangeLevel(cards: readonly PlanCard[], level: number, open: ReadonlySet<string>): PlanBox[] {
  if (cards.length <= ROOMY) return cards.map(toBox);
  const single = cards.filter(({ isCritical, isOutput }) => isCritical || isOutput);
  const odd = cards.filter((card) => SINGLED_OUT.has(card.state) && !single.includes(card));
  const singled = new Set([...single, ...odd.slice(0, MOST_SINGLED_OUT)]);
  const byTool = new Map<string, PlanCard[]>();
  for (const card of cards) {
    if (singled.has(card)) continue;
    const same = byTool.get(card.tool);
    if (same === undefined) byTool.set(card.tool, [card]);
    else same.push(card);
  }
  const groups = [...byTool].filter(([, held]) => held.length >= LEAST_OF_A_GROUP);
  const rest = [...byTool].flatMap(([, held]) => (held.length < LEAST_OF_A_GROUP ? held : []));
  const toGroup = (label: string, held: readonly PlanCard[], key: string): PlanBox => {
    return { key, level, label, kind: 'group', isOpen: open.has(key), cards: held };
  };
  const others = rest.length > ROOMY ? [toGroup('other tools', rest, `group ${level}`)] : rest.map(toBox);
  return [
    ...[...singled].map(toBox),
    ...groups.map(([tool, held]) => toGroup(tool, held, `group ${level} ${tool}`)),
    ...others,
  ];
}

function toBox(card: PlanCard): PlanBox {
  const { id, level } = card;
  return { key: `node ${id}`, level, label: id, kind: 'node', isOpen: false, cards: [card] };
}

interface EdgeMarks {
  isCritical: boolean;
  isOptional: boolean;
}

function edgesBetween(cards: readonly PlanCard[], boxOf: ReadonlyMap<string, string>): BoxEdge[] {
  const byId = new Map(cards.map((card) => [card.id, card]));
  const edges = new Map<string, Map<string, EdgeMarks>>();
  for (const card of cards) {
    const to = boxOf.get(card.id) ?? '';
    for (const id of card.deps) {
      const needed = byId.get(id);
      const from = boxOf.get(id);
      if (needed === undefined || from === undefined || from === to) continue;
      let targets = edges.get(from);
      if (targets === undefined) edges.set(from, (targets = new Map<string, EdgeMarks>()));
      const isCritical = needed.isCritical && card.isCritical;
      const known = targets.get(to);
      if (known === undefined) targets.set(to, { isCritical, isOptional: needed.isOptional });
      else {
        known.isCritical ||= isCritical;
        known.isOptional &&= needed.isOptional;
      }
    }
  }
  return [...edges].flatMap(([from, targets]) => [...targets].map(([to, edge]) => ({ from, to, ...edge })));
}
