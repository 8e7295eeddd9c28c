/* How nodes and groups of nodes look in the graph. */
import { formatCount, formatDuration } from '../views/format-amounts.ts';
import { CELL_SIZE, type PlacedBox } from '../views/page/layout-graph.ts';
import type { PlanCard } from '../views/page/plan-graph.ts';
import { countStates, SHOWN_STATES, STATE_SIGNS, type StateCounts } from '../views/page/shown-state.ts';
import { shape } from './element.ts';

/** A node in words. */
export function labelOfCard(card: PlanCard): string {
  const { id, tool, state, deps, isCritical, isOutput, isOptional, lengthMs, items } = card;
  return [
    `${id}, ${tool}, ${state}`,
    ...(lengthMs === null ? [] : [`took ${formatDuration(lengthMs)}`]),
    ...(items === null ? [] : [`for each item: ${describeCounts(items)}`]),
    ...(isOutput ? ['output of the plan'] : []),
    ...(isCritical ? ['on the critical path'] : []),
    ...(isOptional ? ['optional'] : []),
    deps.length === 0
      ? 'needs no other node'
      : `needs ${deps.slice(0, 5).join(', ')}${deps.length > 5 ? ' and more' : ''}`,
  ].join('; ');
}

function describeCounts(counts: StateCounts): string {
  return SHOWN_STATES.flatMap((state) => {
    const count = counts[state];
    return count === undefined ? [] : [`${formatCount(count)} ${state}`];
  }).join(', ');
}

/** A box with what it holds, but for the nodes of an open group. */
export function drawBox(placed: PlacedBox, isSelected: boolean): SVGGElement {
  const [card] = placed.box.cards;
  return placed.box.kind === 'node' && card !== undefined
    ? drawNode(placed, card, isSelected)
    : drawGroup(placed);
}

function drawNode({ x, y, width, height }: PlacedBox, card: PlanCard, isSelected: boolean): SVGGElement {
  const { id, tool, state, isCritical, isOutput, isOptional, items, lengthMs } = card;
  const kinds = ['node', `is-${state}`, isCritical && 'critical', isSelected && 'selected'];
  const marks = [isCritical && '◆', isOutput && '★', isOptional && '?', items !== null && '⁝'].filter(
    Boolean,
  );
  const took = lengthMs === null ? '' : formatDuration(lengthMs);
  const toolRoom = 25 - took.length;
  return shape(
    'g',
    { class: kinds.filter(Boolean).join(' '), transform: `translate(${x},${y})`, 'data-node': id },
    shape('title', {}, labelOfCard(card)),
    shape('rect', { class: 'body', width, height, rx: 10 }),
    ...(state === 'waiting'
      ? [shape('rect', { class: 'hatching', fill: 'url(#hatched)', width, height, rx: 10 })]
      : []),
    shape('circle', { class: 'badge', cx: 22, cy: height / 2, r: 12 }),
    shape(
      'text',
      { class: 'badge-sign', x: 22, y: height / 2 + 4.5, 'text-anchor': 'middle' },
      STATE_SIGNS[state],
    ),
    shape('text', { class: 'name', x: 44, y: 24 }, cut(id, marks.length > 0 ? 18 : 20)),
    shape('text', { class: 'tool', x: 44, y: 43 }, cut(tool, toolRoom)),
    shape('text', { class: 'took', x: width - 12, y: 43, 'text-anchor': 'end' }, took),
    ...(marks.length === 0
      ? []
      : [shape('text', { class: 'marks', x: width - 12, y: 22, 'text-anchor': 'end' }, marks.join(' '))]),
    ...(items === null ? [] : drawCounts(items, 44, height - 10, width - 56, 4)),
  );
}

function drawGroup({ box, x, y, width, height }: PlacedBox): SVGGElement {
  const { key, label, cards, isOpen } = box;
  const counts = countStates(cards.map(({ state }) => state));
  const words = SHOWN_STATES.flatMap((state) => {
    const count = counts[state];
    return count === undefined ? [] : [`${STATE_SIGNS[state]} ${formatCount(count)}`];
  });
  const title = `${formatCount(cards.length)} × ${label}: ${describeCounts(counts)}`;
  return shape(
    'g',
    { class: `group ${isOpen ? 'open' : 'folded'}`, transform: `translate(${x},${y})`, 'data-group': key },
    shape('title', {}, title),
    ...(isOpen
      ? []
      : [8, 4].map((shift) => shape('rect', { class: 'behind', x: shift, y: shift, width, height, rx: 10 }))),
    shape('rect', { class: 'body', width, height, rx: 10 }),
    shape('text', { class: 'fold-sign', x: 14, y: 25 }, isOpen ? '▾' : '▸'),
    shape('text', { class: 'name', x: 32, y: 25 }, cut(label, isOpen ? 60 : 18)),
    shape(
      'text',
      { class: 'times', x: width - 12, y: 25, 'text-anchor': 'end' },
      `× ${formatCount(cards.length)}`,
    ),
    ...(isOpen ? [] : drawCounts(counts, 14, 40, width - 28, 8)),
    ...(isOpen ? [] : [shape('text', { class: 'tool', x: 14, y: 65 }, cut(words.join('  '), 34))]),
  );
}

/** One node of an open group; far away it is only a patch in the colour of its state. */
export function drawCell(
  card: PlanCard,
  x: number,
  y: number,
  isReadable: boolean,
  isSelected: boolean,
): SVGGElement {
  const { width, height } = CELL_SIZE;
  const kinds = ['cell', `is-${card.state}`, isSelected && 'selected'].filter(Boolean);
  return shape(
    'g',
    { class: kinds.join(' '), transform: `translate(${x},${y})`, 'data-node': card.id },
    shape('rect', { class: 'body', width, height, rx: 5 }),
    ...(isReadable
      ? [
          shape('title', {}, labelOfCard(card)),
          shape(
            'text',
            { class: 'cell-sign', x: 13, y: 17.5, 'text-anchor': 'middle' },
            STATE_SIGNS[card.state],
          ),
          shape('text', { class: 'cell-name', x: 26, y: 17 }, cut(card.id, 16)),
        ]
      : []),
  );
}

function drawCounts(
  counts: StateCounts,
  x: number,
  y: number,
  width: number,
  height: number,
): SVGRectElement[] {
  const present = SHOWN_STATES.filter((state) => (counts[state] ?? 0) > 0);
  const total = present.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  let at = x;
  return present.map((state) => {
    const part = (width * (counts[state] ?? 0)) / total;
    const drawn = shape('rect', {
      class: `part is-${state}`,
      x: at,
      y,
      width: Math.max(1, part - 1),
      height,
      rx: 2,
    });
    at += part;
    return drawn;
  });
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
