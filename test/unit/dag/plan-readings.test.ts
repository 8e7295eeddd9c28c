import { describe, expect, it } from 'vitest';
import { findDependencies, topologicalOrder } from '../../../src/dag/adjacency.ts';
import { findCycles } from '../../../src/dag/cycles.ts';
import { estimatePlan } from '../../../src/dag/estimate.ts';
import { planGraph, planLevels } from '../../../src/dag/graph.ts';
import { patchPlan } from '../../../src/dag/patch.ts';
import { remainingPaths } from '../../../src/dag/remaining-path.ts';
import { node, plan } from './plan-helpers.ts';

const TOOLS = new Map([
  ['anything', { costHint: 1 }],
  ['heavy', { costHint: 5 }],
  ['free', { costHint: 0 }],
]);
const DIAMOND = plan(
  'd',
  node('d', ['b', 'c']),
  node('b', ['a']),
  node('c', ['a'], { tool: 'heavy' }),
  node('a', [], { tool: 'free' }),
  node('lone', [], { tool: 'heavy', foreach: { $ref: 'a' } }),
);

it('the estimate counts foreach at its bound, but its items once on a path', () => {
  const dependencies = findDependencies(DIAMOND.nodes);
  const context = { tools: TOOLS, limits: { foreachItems: 10 } };
  expect(estimatePlan(DIAMOND.nodes, dependencies, topologicalOrder(dependencies), context)).toEqual({
    nodes: 5,
    toolCalls: 14,
    weight: 57,
    levels: 3,
    criticalWeight: 6,
  });
});

it('the remaining path of a node is the costliest to an end, itself included', () => {
  const { nodes } = plan('d', ...DIAMOND.nodes, node('z', ['gone', 'd']));
  const remaining = remainingPaths({ nodes }, findDependencies(nodes), TOOLS);
  expect(Object.fromEntries(nodes.map(({ id }, index) => [id, remaining[index]]))).toEqual({
    a: 7,
    b: 3,
    c: 7,
    d: 2,
    lone: 5,
    z: 1,
  });
});

describe('cycles', () => {
  it('are the shortest through the first node of each knot', () => {
    expect(findCycles([[1], [2, 3], [0], [0], [4], []])).toEqual([[0, 1, 2], [4]]);
  });

  it('are found however deep', () => {
    const size = 50_000;
    const ring = Array.from({ length: size }, (_, index) => [(index + 1) % size]);
    expect(findCycles(ring)[0]).toHaveLength(size);
  });
});

describe('the graph', () => {
  it('leads from dependencies to dependents and holds the nodes', () => {
    const graph = planGraph(DIAMOND);
    expect(graph.order).toBe(5);
    expect(graph.outNeighbors('3').map((key) => graph.getNodeAttributes(key).id)).toEqual(['b', 'c']);
  });

  it('takes ids that objects know', () => {
    const levels = planLevels(
      plan('a', node('__proto__', ['a']), node('a'), node('constructor', ['__proto__', 'a'])),
    );
    expect(levels.map((level) => level.map(({ id }) => id))).toEqual([['a'], ['__proto__'], ['constructor']]);
  });
});

describe('a patch', () => {
  const previous = plan(
    'w',
    node('p'),
    node('q', ['o']),
    node('o'),
    node('x', ['p']),
    node('y', ['x']),
    node('w', ['y', 'q']),
  );

  it('keeps every done node, adds the new ones and says what is superseded', () => {
    const next = plan('v', node('p'), node('x', ['p'], { args: { again: true } }), node('v', ['x', 'q']));
    expect(patchPlan(previous, new Set(['p', 'q']), next)).toEqual({
      plan: plan(
        'v',
        node('p'),
        node('q'),
        node('x', ['p'], { args: { again: true } }),
        node('v', ['x', 'q']),
      ),
      kept: ['p', 'q'],
      superseded: ['o', 'y', 'w'],
    });
  });

  it('stays acyclic where the id of a lost dependency is used anew', () => {
    const { plan: patched } = patchPlan(previous, new Set(['p', 'q']), plan('o', node('o', ['q'])));
    expect(planLevels(patched).map((level) => level.map(({ id }) => id))).toEqual([['p', 'q'], ['o']]);
  });
});
