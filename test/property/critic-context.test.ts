import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readSection } from '../../src/contracts/section.ts';
import { judgeRequest } from '../../src/critic/judge.ts';
import type { Json } from '../../src/kernel/json.ts';
import { cutText } from '../../src/kernel/cut-text.ts';
import { finalizeRequest } from '../../src/worker/finalize.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .tuple(fc.constantFrom('<', '💧', '\u0000', '"', 'a\n'), fc.nat(3000))
    .map(([unit, count]) => unit.repeat(count)),
);
const results = fc.array(
  fc.record({
    node: fc.string({ maxLength: 64 }),
    tool: fc.string(),
    value: fc.oneof(text, fc.jsonValue() as fc.Arbitrary<Json>),
  }),
  { maxLength: 40 },
);
const contextChars = fc.oneof(fc.constantFrom(0, 1, 20, 60, 100), fc.nat(5000));

/** The blocks of data that a user message holds, from the first of the named sections on. */
function contextOf(messages: readonly { readonly content: unknown }[], names: readonly string[]): string {
  const content = String(messages[1]?.content);
  const starts = names.map((name) => content.indexOf(`\n<${name}>\n`)).filter((start) => start >= 0);
  return starts.length === 0 ? '' : content.slice(Math.min(...starts) + 1);
}

describe('I8: the context of a prompt', () => {
  it('never exceeds its budget at the judge', () => {
    fc.assert(
      fc.property(text, results, contextChars, (report, given, limit) => {
        const { messages } = judgeRequest({
          goal: 'g',
          rubric: null,
          report,
          results: given,
          contextChars: limit,
        });
        expect(contextOf(messages, ['report', 'results']).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('never exceeds its budget at the finalizer', () => {
    const missing = fc.array(
      fc.record({ node: fc.string({ maxLength: 64 }), tool: fc.string(), state: fc.string() }),
    );
    fc.assert(
      fc.property(results, missing, contextChars, (given, lacking, limit) => {
        const { messages } = finalizeRequest({
          goal: 'g',
          results: given,
          missing: lacking,
          contextChars: limit,
        });
        expect(contextOf(messages, ['results', 'missing']).length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('holds everything whole where the budget allows it', () => {
    fc.assert(
      fc.property(text, results, (report, given) => {
        const request = judgeRequest({
          goal: 'g',
          rubric: null,
          report,
          results: given,
          contextChars: 10_000_000,
        });
        expect(readSection(request, 'report')).toBe(report);
        expect(JSON.stringify(readSection(request, 'results'))).toHaveLength(JSON.stringify(given).length);
      }),
    );
  });
});

const LONE_SURROGATE = /\p{Cs}/u;

describe('cutText', () => {
  it('keeps a prefix within the limit and parts no code point', () => {
    fc.assert(
      fc.property(text, fc.nat(400), (given, limit) => {
        const cut = cutText(given, limit);
        expect(cut.length).toBeLessThanOrEqual(limit);
        const kept = cut.replace(/…( \[cut: \d+ characters\])?$/, '');
        expect(cut === given || given.startsWith(kept)).toBe(true);
        if (!LONE_SURROGATE.test(given)) expect(cut).not.toMatch(LONE_SURROGATE);
      }),
    );
  });
});
