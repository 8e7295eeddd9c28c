import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryHit, MemoryRecord } from '../../src/contracts/memory.ts';
import { readSection } from '../../src/contracts/section.ts';
import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { isJsonObject } from '../../src/kernel/json.ts';
import { buildContext } from '../../src/memory/context.ts';
import { presentHit } from '../../src/memory/present-hit.ts';

/** Texts with everything that takes more room in a section than in a string, astral characters and lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('<', '"', '\\', '\n', '\u{1f5fc}', '\ud800', '</facts>', 'x'),
    maxLength: 300,
  }),
  fc.integer({ min: 0, max: 3000 }).map((length) => '<\u{1f5fc}'.repeat(length)),
);
const filled = text.map((said) => said || 'x');
const value = fc.oneof(
  text,
  fc.jsonValue().map((json) => json as Json),
);
const provenance = fc.record(
  { at: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), run: text, node: text, tool: text },
  { requiredKeys: ['at'] },
);
const figure = fc.record(
  { kind: fc.constantFrom('number' as const, 'url' as const), text, field: text },
  { requiredKeys: ['kind', 'text'] },
);
const count = fc.nat();
const episode = fc.record({
  ...{ goal: text, shape: text, status: text, reasons: fc.array(text, { maxLength: 5 }) },
  failures: fc.array(fc.record({ node: text, tool: text, code: text, message: text }), { maxLength: 10 }),
  ...{ replans: count, tokens: count, toolCalls: count },
});
const record: fc.Arbitrary<MemoryRecord> = fc.oneof(
  fc.record(
    {
      ...{ tier: fc.constant('semantic' as const), id: fc.uuid(), text: filled, provenance },
      figures: fc.array(figure, { maxLength: 64 }),
    },
    { requiredKeys: ['tier', 'id', 'text', 'provenance'] },
  ),
  fc.record(
    { tier: fc.constant('episodic' as const), id: fc.uuid(), text: filled, provenance, episode },
    { requiredKeys: ['tier', 'id', 'text', 'provenance'] },
  ),
);
const hits: fc.Arbitrary<MemoryHit[]> = fc.array(
  fc.record({ record, score: fc.oneof(fc.double(), fc.constant(Number.NaN)) }),
  { maxLength: 6 },
);
const items: fc.Arbitrary<JsonObject[]> = fc.array(fc.record({ node: text, value }), { maxLength: 12 });
const working = fc.record(
  { goal: text, inputs: fc.dictionary(text, value), plan: value, results: items, failures: items },
  { requiredKeys: [] },
);
const budget = fc.oneof(
  fc.integer({ min: -10, max: 3000 }),
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -1, 4000, 1e9, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY, Number.NaN),
);

const read = (context: string, name: string): Json | undefined =>
  readSection({ messages: [{ role: 'user', content: context }] }, name);

describe('I8: a context', () => {
  it('never exceeds its budget, whatever is in memory', () => {
    fc.assert(
      fc.property(
        working,
        hits,
        hits,
        budget,
        fc.integer({ min: 0, max: 9 }),
        (...[own, episodic, semantic, chars, perTier]) => {
          const context = buildContext(own, { episodic, semantic }, chars, { perTier });
          expect(context.text.length).toBeLessThanOrEqual(chars > 0 ? chars : 0);
          for (const count of Object.values(context.leftOut)) expect(count).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('holds whole memories only, each in its own section, and says what it leaves out', () => {
    fc.assert(
      fc.property(
        working,
        hits,
        hits,
        fc.integer({ min: 0, max: 6000 }),
        (own, episodic, semantic, chars) => {
          const { text: said, included, leftOut } = buildContext(own, { episodic, semantic }, chars);
          for (const [name, list, ids] of [
            ['memory-episodes', episodic, included.episodic],
            ['memory-facts', semantic, included.semantic],
          ] as const) {
            const shown = ids.map((id) => presentHit(list.find((hit) => hit.record.id === id)!));
            expect(read(said, name) ?? []).toEqual(JSON.parse(JSON.stringify(shown)));
            expect(said.split(`</${name}>`).length - 1).toBe(ids.length > 0 ? 1 : 0);
          }
          const missing = leftOut.working + leftOut.cut + leftOut.episodic + leftOut.semantic;
          if (missing === 0) expect(said).not.toContain('(for want of room: ');
          else if (said !== '' && chars >= 400) expect(said).toMatch(/\(for want of room: .*\)$/);
          expect(isJsonObject(read(said, 'memory-working') ?? {})).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('keeps of its results the newest, and no older one where a newer has gone', () => {
    fc.assert(
      fc.property(working, fc.integer({ min: 0, max: 4000 }), (own, chars) => {
        const results = (own.results ?? []).map((result, index) => ({ ...result, node: `n${index}` }));
        const said = read(
          buildContext({ ...own, results }, { episodic: [], semantic: [] }, chars).text,
          'memory-working',
        );
        const kept = ((said ?? {}) as { results?: (JsonObject | string)[] }).results ?? [];
        // One that is cut as a whole is a text that begins with what was most of it.
        const names = kept.map((result) =>
          typeof result === 'string' ? /"node":"(n\d+)"/.exec(result)?.[1] : result['node'],
        );
        const newest = results.slice(results.length - kept.length).map(({ node }) => node);
        for (const [index, name] of names.entries()) if (name !== undefined) expect(name).toBe(newest[index]);
      }),
      { numRuns: 100 },
    );
  });

  it('is the same for the same input, and holds no less with more room', () => {
    fc.assert(
      fc.property(hits, hits, fc.integer({ min: 0, max: 3000 }), (episodic, semantic, chars) => {
        const small = buildContext({}, { episodic, semantic }, chars);
        expect(buildContext({}, { episodic, semantic }, chars)).toEqual(small);
        const whole = buildContext({}, { episodic, semantic }, Number.POSITIVE_INFINITY);
        expect(whole.leftOut).toMatchObject({ working: 0, cut: 0, episodic: 0, semantic: 0 });
        expect(whole.included.semantic).toEqual(expect.arrayContaining([...small.included.semantic]));
      }),
      { numRuns: 60 },
    );
  });
});
