import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryRecord } from '../../src/contracts/memory.ts';
import type { ModelRequest } from '../../src/contracts/model.ts';
import type { Provider } from '../../src/contracts/ports.ts';
import { replay } from '../../src/engine/replay.ts';
import { MemoryRunStore } from '../../src/flight/memory-log.ts';
import { orchestrate } from '../../src/index.ts';
import type { Json } from '../../src/kernel/json.ts';
import { InMemoryStore } from '../../src/memory/in-memory-store.ts';
import { answer, askingTool, echoTool, node, only, plan } from '../support/core.ts';

const GOAL = 'Weigh the moss of Lima.';
/** What was recalled stands between these. */
const RECALLED = /These sections hold data that this run[\s\S]*/;

const said = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
  fc.string({
    unit: fc.constantFrom('<', '"', '\\', '\n', '\u{1f5fc}', '</memory-facts>', 'moss '),
    minLength: 1,
    maxLength: 300,
  }),
  fc.integer({ min: 1, max: 4000 }).map((length) => 'moss <\u{1f5fc}'.repeat(length)),
);
const record: fc.Arbitrary<MemoryRecord> = fc.record({
  tier: fc.constantFrom('semantic' as const, 'episodic' as const),
  id: fc.uuid(),
  text: said.map((text) => `moss ${text}`),
  provenance: fc.record({ at: fc.nat(), run: fc.constant('old') }),
});

/** Draws one plan, answers each role, and keeps what it was told. */
function talker(drawn: Json): { provider: Provider; told: ModelRequest[] } {
  const told: ModelRequest[] = [];
  const provider: Provider = {
    name: 'talker',
    priceOf: () => ({ inputPerMTok: 0, outputPerMTok: 0 }),
    complete: (request) => {
      told.push(request);
      const text =
        request.role === 'planner' || request.role === 'replanner'
          ? JSON.stringify(drawn)
          : request.role === 'critic'
            ? '{"score": 1, "issues": []}'
            : 'mossy';
      return Promise.resolve(answer(text, 5));
    },
  };
  return { provider, told };
}

describe('I8: whatever is remembered and found', () => {
  it('no prompt holds more of it than its budget, and the run replays without a call', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        fc.array(said, { minLength: 1, maxLength: 6 }),
        fc.oneof(fc.nat(6000), fc.constantFrom(0, 1, 95, 4000)),
        fc.integer({ min: 1, max: 8 }),
        fc.constantFrom(0, 0.000001, 0.9),
        async (records, results, contextChars, perTier, economyAt) => {
          const memory = new InMemoryStore();
          await memory.put(
            'default',
            records.map((one) => ({ record: one })),
          );
          const nodes = results.map((value, index) => node(`n${index}`, { args: { value } }));
          const refs = results.map((_, index) => ({ $ref: `n${index}` }));
          const { provider, told } = talker(
            plan(...nodes, node('report', { tool: 'write', args: { about: refs } })),
          );
          const store = new MemoryRunStore();
          const result = await orchestrate({
            task: {
              ...{ name: 'budget', goal: GOAL, memory: { contextChars, perTier, timeoutMs: 60_000 } },
              budget: { tokens: 10_000_000, economyAt },
            },
            ...{ tools: [echoTool(), askingTool], provider, store, runId: 'r1', workspace: '/' },
            memory: { store: memory },
          });
          expect(result.status).toBe('verified');
          const events = await store.read('r1');
          for (const { key, text, warnings } of only(events, 'memory.recalled')) {
            const asked = only(events, 'memory.requested').find((request) => request.key === key);
            expect(text.length).toBeLessThanOrEqual(asked?.budgetChars ?? -1);
            expect(warnings).toEqual([]);
          }
          for (const { role, messages } of told) {
            const contents = messages.map(({ content }) => content as string);
            const recalled = contents.map((content) => RECALLED.exec(content)?.[0] ?? '').join('');
            expect(recalled.length).toBeLessThanOrEqual(contextChars);
            if (role !== 'critic') continue;
            const shown = /\n(<report>|<results>|These sections)[\s\S]*/.exec(contents.join('\n'))?.[0] ?? '';
            expect(shown.length - 1).toBeLessThanOrEqual(Math.max(0, contextChars) + 1);
          }
          const { divergence, warnings } = replay(events, true);
          expect({ divergence, warnings }).toEqual({ divergence: null, warnings: [] });
        },
      ),
      { numRuns: 60 },
    );
  });
});
