import { describe, expect, it } from 'vitest';
import { schemaIssues } from '../../../src/contracts/schema.ts';
import { takesMoreSteps } from '../../../src/contracts/schema-steps.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';

const nested = (depth: number): Json => {
  let value: Json = 'leaf';
  for (let level = 0; level < depth; level++) value = { l: value };
  return value;
};
const link = (name: string): JsonObject => ({
  type: 'object',
  properties: { l: { $ref: `#/$defs/${name}` } },
});
const tree = {
  type: 'object',
  properties: { l: { $ref: '#/$defs/node' } },
  $defs: {
    node: {
      anyOf: [
        { type: 'number' },
        { type: 'object', properties: { l: { $ref: '#/$defs/node' }, r: { $ref: '#/$defs/node' } } },
      ],
    },
  },
};

describe('schemaIssues', () => {
  it.each<[string, JsonObject]>([
    [
      'a schema that leads back to itself twice',
      { ...link('a'), $defs: { a: { anyOf: [link('a'), link('a')] } } },
    ],
    [
      'a chain of schemas that each lead back to themselves',
      {
        ...link('a0'),
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, index) => [
            `a${index}`,
            { anyOf: [link(`a${index}`), link(`a${Math.min(29, index + 1)}`)] },
          ]),
        ),
      },
    ],
    ['one that never comes to an end', { ...link('a'), $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }],
    [
      'a reference with empty parts',
      { ...link('a'), $defs: { a: { anyOf: [{ $ref: '#//$defs//a' }, { $ref: '#/$defs/a' }] } } },
    ],
  ])('tells that %s would take too long, at once', (_, schema) => {
    const begun = performance.now();
    expect(schemaIssues(schema, nested(200))).toEqual([
      { pointer: '', message: expect.stringContaining('more than 5000000 steps') as string },
    ]);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  it('holds large values to schemas with alternatives as ever', () => {
    const rows = {
      type: 'array',
      items: { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    };
    const values = Array.from({ length: 50_000 }, () => ({ a: null }));
    expect(schemaIssues(rows, values)).toEqual([]);
    expect(schemaIssues(tree, nested(200))).not.toEqual([]);
    expect(schemaIssues(tree, { l: { l: 1, r: { l: 2 } } })).toEqual([]);
  });
});

describe('takesMoreSteps', () => {
  it('counts each part of a schema that a part of the value is held against', () => {
    const schema = { anyOf: [{ type: 'string' }, { type: 'array', items: { anyOf: [true, false] } }] };
    // The whole, two ways, three items, and two ways of each.
    const steps = 1 + 2 + 3 + 6;
    expect(takesMoreSteps(schema, [1, 2, 3], steps)).toBe(false);
    expect(takesMoreSteps(schema, [1, 2, 3], steps - 1)).toBe(true);
    expect(takesMoreSteps({ type: 'array', items: { type: 'string' } }, [1, 2, 3], 1)).toBe(false);
  });
});
