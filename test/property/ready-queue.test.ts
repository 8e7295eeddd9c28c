import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNode, type NodeState } from '../../src/run/node-state.ts';
import { ReadyQueue } from '../../src/run/ready-queue.ts';
import { echoTool } from '../support/core.ts';

const { spec } = echoTool();

function nodeAt(index: number, priority: number): NodeState {
  return createNode({ id: `n${index}`, tool: spec.name, args: {}, deps: [] }, spec, {
    index,
    priority,
    after: 0,
  });
}

const steps = fc.array(
  fc.oneof(fc.record({ push: fc.tuple(fc.nat(20), fc.nat(3)) }), fc.constant('pop' as const)),
  { maxLength: 60 },
);

describe('the queue of ready nodes', () => {
  it('gives larger priorities first, ties in plan order, whatever the order in which nodes come', () => {
    fc.assert(
      fc.property(steps, (chosen) => {
        const queue = new ReadyQueue();
        const model: NodeState[] = [];
        for (const step of chosen) {
          if (step === 'pop') {
            model.sort((a, b) => b.priority - a.priority || a.index - b.index);
            const expected = model.shift();
            expect(queue.peek()?.index).toBe(expected?.index);
            const popped = queue.pop();
            expect([popped?.index, popped?.priority]).toEqual([expected?.index, expected?.priority]);
          } else {
            const node = nodeAt(...step.push);
            queue.push(node);
            model.push(node);
          }
          expect(queue.size).toBe(model.length);
        }
      }),
    );
  });
});
