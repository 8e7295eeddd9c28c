/* What a strict plan schema admits, whatever the catalogue: bounded, without cycles, and a plan but for types. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaIssues } from '../../src/contracts/schema.ts';
import type { ToolSpec } from '../../src/contracts/tool.ts';
import { isJsonObject, type Json, type JsonObject } from '../../src/kernel/json.ts';
import { interpretPlan } from '../../src/planner/interpret-plan.ts';
import { strictPlanSchema } from '../../src/planner/strict-plan-schema.ts';
import { sampleSchema } from '../support/sample-schema.ts';

const TEXT: JsonObject = { type: 'string' };
const ANY_LIST: JsonObject = { type: 'array', items: {} };

const member: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  TEXT,
  { type: 'string', minLength: 2, maxLength: 5 },
  { enum: ['near', 'far', 3] },
  { type: 'integer', minimum: 1, maximum: 9 },
  { type: 'boolean' },
  { type: 'array', items: TEXT },
  { type: 'array', items: { type: 'boolean' }, minItems: 2 },
  ANY_LIST,
  {},
  { anyOf: [TEXT, { type: 'integer', minimum: 0, maximum: 3 }] },
  { type: 'object', properties: { a: TEXT, b: ANY_LIST }, required: ['a'], additionalProperties: false },
  { $ref: '#/$defs/named' },
);

const output = fc.constantFrom<JsonObject | undefined>(
  undefined,
  TEXT,
  { type: 'object', properties: { a: TEXT }, required: ['a'] },
  { type: 'array', items: TEXT },
  { type: 'integer' },
);

const catalogue: fc.Arbitrary<ToolSpec[]> = fc
  .array(
    fc.record({
      members: fc.dictionary(fc.constantFrom('city', 'facts', 'limit', '__proto__'), member, {
        maxKeys: 3,
      }),
      optional: fc.boolean(),
      output,
      effect: fc.constantFrom('read' as const, 'write' as const),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((tools) =>
    tools.map(({ members, optional, output: result, effect }, index) => ({
      ...{ name: `tool_${index}`, description: 'A tool.', costHint: 1, effect },
      input: {
        type: 'object',
        properties: members,
        required: Object.keys(members).slice(optional ? 1 : 0),
        additionalProperties: false,
        $defs: { named: { type: 'string', minLength: 1 } },
      },
      ...(result === undefined ? {} : { output: result }),
    })),
  );

const inputs = fc.constantFrom<JsonObject>({}, { cities: ['Lima', 'Oslo'] }, { one: 'four', two: [1, null] });

describe('a strict plan schema', () => {
  it('admits plans alone, whose references may be of another type at worst, and bounds everything in them', () => {
    fc.assert(
      fc.property(
        catalogue,
        inputs,
        fc.integer({ min: 1, max: 12 }),
        fc.infiniteStream(fc.nat(1_000_000)),
        (tools, given, maxNodes, draws) => {
          const below = (bound: number): number => (draws.next().value as number) % bound;
          const schema = strictPlanSchema({ tools, inputs: given, maxNodes, taken: [], done: [] });
          expect(unboundedIn(schema as Json)).toEqual([]);
          const document = sampleSchema(schema, below);
          expect(schemaIssues(schema, document)).toEqual([]);
          const result = interpretPlan(JSON.stringify(document), {
            tools: new Map(tools.map((tool) => [tool.name, tool])),
            withheld: new Set(),
            limits: { maxNodes, foreachItems: 5 },
          });
          const problems = result.ok ? [] : result.problems;
          expect(problems.filter(({ message }) => !/does not fit/.test(message))).toEqual([]);
          if (!result.ok) return;
          const { nodes, output: last } = result.plan;
          // Whatever the plan does flows into its answer.
          expect(new Set(nodes.find(({ id }) => id === last)?.deps)).toEqual(
            new Set(nodes.map(({ id }) => id).filter((id) => id !== last)),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});

/** The parts of a schema that have no end: texts, lists and open objects, wherever they stand. */
function unboundedIn(schema: Json): readonly Json[] {
  if (Array.isArray(schema)) return (schema as readonly Json[]).flatMap(unboundedIn);
  if (!isJsonObject(schema)) return [];
  const { type, maxLength = Infinity, maxItems = Infinity } = schema;
  const isUnbounded =
    (type === 'string' && schema['enum'] === undefined && Number(maxLength) > 200) ||
    (type === 'array' && Number(maxItems) > 100) ||
    (type === 'object' && schema['additionalProperties'] !== false);
  return [...(isUnbounded ? [schema] : []), ...Object.values(schema).flatMap(unboundedIn)];
}
