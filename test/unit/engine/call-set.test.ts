import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallSet } from '../../../src/engine/call-set.ts';

describe('a set of calls', () => {
  it('holds what was added and not taken out, whatever is taken out in whatever order', () => {
    const steps = fc.array(fc.record({ adds: fc.boolean(), pick: fc.nat(99) }), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (taken) => {
        const set = new CallSet<{ place: number }>();
        const made: { place: number }[] = [];
        const held = new Set<{ place: number }>();
        for (const { adds, pick } of taken) {
          if (adds) {
            const call = { place: -1 };
            made.push(call);
            held.add(call);
            set.add(call);
          } else if (made.length > 0) {
            // Mostly one that it holds, at times one that is out already.
            const call = made[pick % made.length] as { place: number };
            held.delete(call);
            set.delete(call);
          }
          expect(set.values().every((call) => held.has(call))).toBe(true);
          expect(set.values()).toHaveLength(held.size);
        }
      }),
    );
  });

  it('gives its calls as they were, so that each may be taken out in its turn', () => {
    const set = new CallSet<{ place: number }>();
    const calls = [{ place: -1 }, { place: -1 }, { place: -1 }];
    for (const call of calls) set.add(call);
    const seen = [];
    for (const call of set.values()) {
      seen.push(call);
      set.delete(call);
    }
    expect(seen).toEqual(calls);
    expect(set.values()).toEqual([]);
  });
});
