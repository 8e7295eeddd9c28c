/* However a plan looks, its graph shows each node once and on a place of its own, and its edges lead to the right. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrangePlan } from '../../src/views/page/arrange-plan.ts';
import { cellPlace, CELL_SIZE, layoutGraph, type PlacedBox } from '../../src/views/page/layout-graph.ts';
import type { PlanCard } from '../../src/views/page/plan-graph.ts';
import { SHOWN_STATES } from '../../src/views/page/shown-state.ts';

const plans = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat({ max: 200 }), { maxLength: 4 }),
      tool: fc.constantFrom('look', 'sum', 'write'),
      state: fc.constantFrom(...SHOWN_STATES),
      isCritical: fc.boolean(),
    }),
    { minLength: 1, maxLength: 120 },
  )
  .map((drafts) => {
    const cards: PlanCard[] = [];
    drafts.forEach(({ needs, tool, state, isCritical }, index) => {
      const deps = [...new Set(needs.filter((need) => need < index))];
      const level = deps.reduce((highest, need) => Math.max(highest, (cards[need]?.level ?? 0) + 1), 0);
      cards.push({
        ...{ id: `n${index}`, tool, state, level, deps: deps.map((need) => `n${need}`), isCritical },
        ...{ isOutput: index === drafts.length - 1, isOptional: false, items: null, lengthMs: null },
      });
    });
    return cards;
  });

const isApart = (a: PlacedBox, b: PlacedBox): boolean =>
  a.x + a.width <= b.x + 0.01 ||
  b.x + b.width <= a.x + 0.01 ||
  a.y + a.height <= b.y + 0.01 ||
  b.y + b.height <= a.y + 0.01;

describe('the graph of a plan', () => {
  it('has each node in one box, and no box on another', () => {
    fc.assert(
      fc.property(plans, fc.boolean(), (cards, isOpen) => {
        const folded = arrangePlan(cards, new Set());
        const open = isOpen ? new Set(folded.boxes.map(({ key }) => key)) : new Set<string>();
        const arrangement = arrangePlan(cards, open);
        const held = arrangement.boxes.flatMap((box) => box.cards.map(({ id }) => id));
        expect(held.sort()).toEqual(cards.map(({ id }) => id).sort());
        const { boxes, width, height } = layoutGraph(arrangement);
        boxes.forEach((box, index) => {
          for (const other of boxes.slice(index + 1)) expect(isApart(box, other)).toBe(true);
          expect(box.x >= 0 && box.x + box.width <= width + 0.01).toBe(true);
          expect(box.y >= -0.01 && box.y + box.height <= height + 0.01).toBe(true);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('has an edge for each need between two boxes, and each leads to the right', () => {
    fc.assert(
      fc.property(plans, (cards) => {
        const arrangement = arrangePlan(cards, new Set());
        const { boxes, edges } = layoutGraph(arrangement);
        const places = new Map(boxes.map((placed) => [placed.box.key, placed]));
        const known = new Set(edges.map(({ from, to }) => `${from} → ${to}`));
        for (const { id, deps } of cards) {
          for (const need of deps) {
            const [from, to] = [arrangement.boxOf.get(need) ?? '', arrangement.boxOf.get(id) ?? ''];
            expect(known.has(`${from} → ${to}`)).toBe(true);
          }
        }
        for (const { from, to } of edges) {
          expect(places.get(from)!.x + places.get(from)!.width).toBeLessThan(places.get(to)!.x);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('folds crowded levels to a few boxes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 13, max: 400 }), (count) => {
        const cards = Array.from({ length: count }, (_, index): PlanCard => ({
          ...{ id: `n${index}`, tool: `tool ${index % 3}`, state: 'failed', level: 0, deps: [] },
          ...{ isCritical: false, isOutput: index === 0, isOptional: false, items: null, lengthMs: null },
        }));
        expect(arrangePlan(cards, new Set()).boxes.length).toBeLessThan(14);
      }),
    );
  });

  it('has a place of its own for each node of a group that is laid open', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 500 }), (count) => {
        const places = Array.from({ length: count }, (_, index) => cellPlace(index, count));
        expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(count);
        const steps = places.map(({ x }) => (x - CELL_SIZE.edge) % (CELL_SIZE.width + CELL_SIZE.gap));
        expect(new Set(steps)).toEqual(new Set([0]));
      }),
    );
  });
});
