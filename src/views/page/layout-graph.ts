/*
 * Where the boxes of a plan are drawn: levels in columns from left to right, in each column the boxes in an order with
 * few crossings and close to what they are joined with. Edges over several levels keep a lane of their own between
 * the boxes on their way. All lengths are pixels at full size.
 */
import type { Arrangement, PlanBox } from './arrange-plan.ts';

/** A box with its place. */
export interface PlacedBox {
  readonly box: PlanBox;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An edge as a path of an SVG. */
export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  readonly isCritical: boolean;
  readonly isOptional: boolean;
  readonly path: string;
}

/** A graph laid out; the corner of it is 0, 0. */
export interface GraphLayout {
  readonly boxes: readonly PlacedBox[];
  readonly edges: readonly PlacedEdge[];
  readonly width: number;
  readonly height: number;
}

export const NODE_SIZE = { width: 196, height: 58 };
export const GROUP_SIZE = { width: 220, height: 74 };
/** One node in a group that is laid open. */
export const CELL_SIZE = { width: 138, height: 26, gap: 6, head: 40, edge: 10 };

const COLUMN_GAP = 72;
const ROW_GAP = 16;
const LANE_HEIGHT = 6;
/** With more of them edges go straight. */
const MOST_LANES = 400;
const SWEEPS = 6;

/** Something that takes room in a column: a box, or the lane of an edge that passes it. */
interface Slot {
  readonly key: string;
  readonly level: number;
  readonly width: number;
  readonly height: number;
  readonly box: PlanBox | null;
  readonly before: Slot[];
  readonly after: Slot[];
  x: number;
  /** Of its middle. */
  y: number;
}

/** Lays a plan out. */
export function layoutGraph({ boxes, edges }: Arrangement): GraphLayout {
  const slots = new Map(boxes.map((box) => [box.key, createSlot(box.key, box.level, sizeOf(box), box)]));
  const columns: Slot[][] = [];
  for (const slot of slots.values()) (columns[slot.level] ??= []).push(slot);
  const routes = joinSlots(slots, columns, edges);
  sortColumns(columns);
  placeColumns(columns);
  let [top, bottom, right] = [Infinity, 0, 0];
  for (const { x, y, width, height } of slots.values()) {
    top = Math.min(top, y - height / 2);
    bottom = Math.max(bottom, y + height / 2);
    right = Math.max(right, x + width);
  }
  if (top === Infinity) top = 0;
  return {
    boxes: [...slots.values()].flatMap(({ box, x, y, width, height }) =>
      box === null ? [] : [{ box, x, y: y - height / 2 - top, width, height }],
    ),
    edges: routes.map(({ edge, route }) => ({ ...edge, path: drawRoute(route, top) })),
    width: right,
    height: bottom - top,
  };
}

/** The place of a node in an open group, from the corner of the group. */
export function cellPlace(index: number, count: number): { x: number; y: number } {
  const { width, height, gap, head, edge } = CELL_SIZE;
  const columns = cellColumns(count);
  return {
    x: edge + (index % columns) * (width + gap),
    y: head + Math.floor(index / columns) * (height + gap),
  };
}

function cellColumns(count: number): number {
  return Math.max(2, Math.round(Math.sqrt(count * 0.3)));
}

function sizeOf({ kind, isOpen, cards }: PlanBox): { width: number; height: number } {
  if (kind === 'node') return NODE_SIZE;
  if (!isOpen) return GROUP_SIZE;
  const { width, height, gap, head, edge } = CELL_SIZE;
  const columns = cellColumns(cards.length);
  const rows = Math.ceil(cards.length / columns);
  return {
    width: 2 * edge + columns * (width + gap) - gap,
    height: head + rows * (height + gap) - gap + edge,
  };
}

function createSlot(
  key: string,
  level: number,
  { width, height }: { width: number; height: number },
  box: PlanBox | null,
): Slot {
  return { key, level, width, height, box, before: [], after: [], x: 0, y: 0 };
}

type Edge = Arrangement['edges'][number];

/** Joins the slots along the edges, with lanes where an edge passes a column; answers the way of each edge. */
function joinSlots(
  slots: ReadonlyMap<string, Slot>,
  columns: Slot[][],
  edges: readonly Edge[],
): { edge: Edge; route: readonly Slot[] }[] {
  const ends = edges.flatMap((edge) => {
    const [from, to] = [slots.get(edge.from), slots.get(edge.to)];
    return from === undefined || to === undefined ? [] : [{ edge, from, to }];
  });
  const lanes = ends.reduce((sum, { from, to }) => sum + Math.max(0, to.level - from.level - 1), 0);
  return ends.map(({ edge, from, to }) => {
    const route = [from];
    for (let level = from.level + 1; lanes <= MOST_LANES && level < to.level; level++) {
      const lane = createSlot('', level, { width: 0, height: LANE_HEIGHT }, null);
      (columns[level] ??= []).push(lane);
      route.push(lane);
    }
    route.push(to);
    for (let index = 1; index < route.length; index++) {
      const [before, after] = [route[index - 1], route[index]];
      if (before === undefined || after === undefined) continue;
      before.after.push(after);
      after.before.push(before);
    }
    return { edge, route };
  });
}

/** Orders each column by where its neighbours stand, to and fro. */
function sortColumns(columns: Slot[][]): void {
  const order = new Map<Slot, number>();
  const number = (column: readonly Slot[]): void =>
    column.forEach((slot, index) => order.set(slot, index / Math.max(1, column.length - 1)));
  columns.forEach(number);
  const sort = (column: Slot[], side: 'before' | 'after'): void => {
    const wanted = new Map(
      column.map((slot) => {
        const near = slot[side];
        const sum = near.reduce((total, other) => total + (order.get(other) ?? 0), 0);
        return [slot, near.length === 0 ? (order.get(slot) ?? 0) : sum / near.length];
      }),
    );
    column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    number(column);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForward = sweep % 2 === 0;
    for (const column of isForward ? columns : columns.toReversed()) {
      sort(column, isForward ? 'before' : 'after');
    }
  }
}

function placeColumns(columns: readonly (readonly Slot[])[]): void {
  let x = 0;
  for (const column of columns) {
    const width = column.reduce((widest, slot) => Math.max(widest, slot.width), 0);
    for (const slot of column) slot.x = x + (slot.box === null ? 0 : (width - slot.width) / 2);
    for (const slot of column) if (slot.box === null) Object.assign(slot, { width });
    x += width + COLUMN_GAP;
    stack(column, (_, index) => index);
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      stack(column, (slot) => {
        const near =
          sweep < SWEEPS - 2 ? (sweep % 2 === 0 ? slot.before : slot.after) : [...slot.before, ...slot.after];
        return near.length === 0 ? slot.y : near.reduce((sum, { y }) => sum + y, 0) / near.length;
      });
    }
  }
}

/**
 * Puts slots in their order as close to where they want to be as they fit. Slots that would overlap are pooled into
 * blocks, and each block stands where its slots want to be on average.
 */
function stack(column: readonly Slot[], wantedOf: (slot: Slot, index: number) => number): void {
  const blocks: { sum: number; count: number; slots: Slot[] }[] = [];
  const offsets = new Map<Slot, number>();
  let offset = 0;
  column.forEach((slot, index) => {
    offset += slot.height / 2;
    offsets.set(slot, offset);
    let block = { sum: wantedOf(slot, index) - offset, count: 1, slots: [slot] };
    offset += slot.height / 2 + ROW_GAP;
    for (let last = blocks.at(-1); last !== undefined && last.sum / last.count >= block.sum / block.count;) {
      blocks.pop();
      block = {
        sum: last.sum + block.sum,
        count: last.count + block.count,
        slots: [...last.slots, ...block.slots],
      };
      last = blocks.at(-1);
    }
    blocks.push(block);
  });
  for (const { sum, count, slots } of blocks) {
    for (const slot of slots) slot.y = sum / count + (offsets.get(slot) ?? 0);
  }
}

function drawRoute(route: readonly Slot[], top: number): string {
  const [first] = route;
  if (first === undefined) return '';
  let path = `M${round(first.x + first.width)},${round(first.y - top)}`;
  let [fromX, fromY] = [first.x + first.width, first.y - top];
  for (const slot of route.slice(1)) {
    const y = slot.y - top;
    const bend = (slot.x - fromX) / 2;
    path += `C${round(fromX + bend)},${round(fromY)} ${round(slot.x - bend)},${round(y)} ${round(slot.x)},${round(y)}`;
    [fromX, fromY] = [slot.x, y];
    if (slot.box !== null) continue;
    fromX += slot.width;
    path += `H${round(fromX)}`;
  }
  return path;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}
