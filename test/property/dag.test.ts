import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PlanProblem } from '../../src/contracts/plan.ts';
import type { ToolSpec } from '../../src/contracts/tool.ts';
import { planLevels } from '../../src/dag/graph.ts';
import { argsDigest, resolveArgs } from '../../src/dag/references.ts';
import { type Validation, validatePlan } from '../../src/dag/validate.ts';
import { hashJson } from '../../src/kernel/hash.ts';
import type { Json } from '../../src/kernel/json.ts';
import { interpretPlan } from '../../src/planner/interpret-plan.ts';

const join: ToolSpec = {
  name: 'join',
  description: '',
  input: {
    type: 'object',
    properties: { parts: { type: 'array', items: { type: 'string' } } },
    required: ['parts'],
    additionalProperties: false,
  },
  output: { type: 'string' },
  costHint: 1,
  effect: 'read',
};
const CONTEXT = {
  tools: new Map([['join', join]]),
  withheld: new Set<string>(),
  limits: { maxNodes: 60, foreachItems: 5 },
};

interface RawNode {
  id: string;
  tool: string;
  args: { parts: Json[] };
  deps: string[];
}

const ids = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a b', '→', '0', '1'),
    fc.string({ minLength: 1, maxLength: 64 }),
  ),
  { minLength: 1, maxLength: 20 },
);

/** A random acyclic plan, its nodes in random order; each depends on some of those drawn before it. */
const dags = ids.chain((names) =>
  fc
    .tuple(
      ...names.map((_, index) =>
        fc.tuple(fc.subarray(names.slice(0, index)), fc.subarray(names.slice(0, index))),
      ),
    )
    .chain((edges) => {
      const nodes = names.map((id, index): RawNode => {
        const [deps, references] = edges[index] ?? [[], []];
        return { id, tool: 'join', args: { parts: ['x', ...references.map(($ref) => ({ $ref }))] }, deps };
      });
      return fc.record({
        nodes: fc.shuffledSubarray(nodes, { minLength: nodes.length }),
        output: fc.constantFrom(...names),
      });
    }),
);

function problemsOf(validation: Validation): readonly PlanProblem[] {
  return validation.ok ? [] : validation.problems;
}

function edgesOf(node: RawNode): Set<string> {
  return new Set([
    ...node.deps,
    ...node.args.parts.flatMap((part) => (typeof part === 'object' ? [(part as { $ref: string }).$ref] : [])),
  ]);
}

describe('a random acyclic plan', () => {
  it('is accepted, and its levels and estimate are right', () => {
    fc.assert(
      fc.property(dags, (raw) => {
        const result = validatePlan(raw as unknown as Json, CONTEXT);
        expect(problemsOf(result)).toEqual([]);
        if (!result.ok) return;
        const byId = new Map(raw.nodes.map((node) => [node.id, node]));
        const depth = (id: string): number => {
          const node = byId.get(id);
          return node === undefined ? 0 : 1 + Math.max(0, ...[...edgesOf(node)].map(depth));
        };
        const levels = planLevels(result.plan);
        for (const [index, level] of levels.entries())
          for (const { id } of level) expect(depth(id)).toBe(index + 1);
        expect(levels.flat()).toHaveLength(raw.nodes.length);
        expect(result.estimate).toMatchObject({
          nodes: raw.nodes.length,
          toolCalls: raw.nodes.length,
          levels: levels.length,
          criticalWeight: levels.length,
        });
        for (const node of result.plan.nodes) {
          expect(new Set(node.deps)).toEqual(edgesOf(byId.get(node.id) as RawNode));
          expect(new Set(node.deps).size).toBe(node.deps.length);
        }
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('with an edge back has a cycle, whose path is closed and follows the dependencies', () => {
    const plain = dags.filter(
      ({ nodes }) => nodes.length > 1 && nodes.every(({ id }) => !id.includes(' → ')),
    );
    fc.assert(
      fc.property(plain, fc.nat(), (raw, pick) => {
        const first = raw.nodes[pick % raw.nodes.length] as RawNode;
        const byId = new Map(raw.nodes.map((node) => [node.id, node]));
        const below = [first.id];
        for (const id of below)
          below.push(...[...edgesOf(byId.get(id) as RawNode)].filter((next) => !below.includes(next)));
        const last = below[pick % below.length] as string;
        const nodes = raw.nodes.map((node) =>
          node.id === last ? { ...node, deps: [...node.deps, first.id] } : node,
        );
        const changed = new Map(nodes.map((node) => [node.id, node]));
        const problems = problemsOf(validatePlan({ ...raw, nodes } as unknown as Json, CONTEXT));
        expect(problems.map(({ code }) => code)).toEqual(['cycle']);
        const path = problems[0]?.message.replace('nodes wait for each other: ', '').split(' → ') ?? [];
        expect(path.length).toBeGreaterThan(1);
        expect(path[0]).toBe(path.at(-1));
        path
          .slice(1)
          .forEach((id, index) =>
            expect(edgesOf(changed.get(path[index] as string) as RawNode)).toContain(id),
          );
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('changed anywhere to anything is accepted or refused, never an exception', () => {
    const changes = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom<Json>({ $ref: 'a' }, { $text: [] }, { $item: '' }, { $literal: 1 }, [], {}, Infinity),
    );
    fc.assert(
      fc.property(
        dags,
        changes,
        fc.nat(),
        fc.constantFrom(undefined, 'foreach', 'deps', '__proto__', '$ref'),
        (raw, change, pick, key) => {
          const copy = JSON.parse(JSON.stringify(raw)) as Json;
          const places: { owner: Record<string, unknown>; key: string }[] = [];
          const visit = (value: unknown): void => {
            if (typeof value !== 'object' || value === null) return;
            for (const name of Object.keys(value)) {
              places.push({ owner: value as Record<string, unknown>, key: name });
              visit((value as Record<string, unknown>)[name]);
            }
          };
          visit(copy);
          const place = places[pick % places.length];
          if (place === undefined) return;
          Object.defineProperty(place.owner, key ?? place.key, {
            value: change,
            enumerable: true,
            configurable: true,
            writable: true,
          });
          const result = validatePlan(copy, CONTEXT);
          for (const { message, pointer } of problemsOf(result)) {
            expect(message).not.toBe('');
            expect(pointer === '' || pointer.startsWith('/')).toBe(true);
          }
        },
      ),
      { numRuns: 500 },
    );
  }, 60_000);
});

describe('the text of a plan', () => {
  const wraps = fc.constantFrom<[string, string]>(
    ['', ''],
    ['Here it is:\n```json\n', '\n```\nGood luck {with} it [1].'],
    ['<think>{"nodes": [maybe]} { "</think>', ''],
    ['I use {x} and [0, 1).\n', "\n(don't worry)"],
  );

  it('is found whole, wherever it stands', () => {
    fc.assert(
      fc.property(dags, wraps, fc.constantFrom(0, 2), (raw, [before, after], indent) => {
        const found = interpretPlan(before + JSON.stringify(raw, null, indent) + after, CONTEXT);
        expect(found).toEqual(validatePlan(raw as unknown as Json, CONTEXT));
        expect(found.ok).toBe(true);
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('cut anywhere is never taken for a shorter plan', () => {
    const small = dags.filter(({ nodes }) => nodes.length <= 4);
    fc.assert(
      fc.property(small, wraps, fc.boolean(), (raw, [before], isNested) => {
        const nested = { id: 'last', tool: 'join', args: { parts: [{ $literal: raw }] } };
        const whole = JSON.stringify(isNested ? { nodes: [...raw.nodes, nested], output: 'last' } : raw);
        for (let length = 0; length < whole.length; length++) {
          const result = interpretPlan(before + whole.slice(0, length), CONTEXT);
          expect(result.ok).toBe(false);
          if (length > 0) expect(problemsOf(result).map(({ code }) => code)).toEqual(['truncated_json']);
        }
      }),
      { numRuns: 20 },
    );
  }, 60_000);

  it('of any kind is read without an exception', () => {
    const pieces = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        '\\',
        ':',
        ',',
        '"nodes"',
        '"a"',
        '1',
        ' ',
        '\n',
        '//',
        '/*',
        '*/',
        '...',
        '<think>',
        '</think>',
        '```',
        'x',
      ),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          pieces.map((all) => all.join('')),
        ),
        (text) => void interpretPlan(text, CONTEXT),
      ),
      {
        numRuns: 2000,
      },
    );
  }, 60_000);
});

it('arguments without references are neither changed nor hashed otherwise', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const args = JSON.parse(JSON.stringify(value)) as Json;
      expect(resolveArgs(args, () => null)).toEqual({ ok: true, args });
      expect(argsDigest(args, () => '')).toBe(hashJson(args));
    }),
  );
});
