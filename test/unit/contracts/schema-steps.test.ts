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

  const numbered = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const wide = {
    type: 'object',
    properties: Object.fromEntries(numbered(5000, (index) => [`p${index}`, {}])),
  };
  it.each<[string, JsonObject, Json]>([
    ['very many properties', wide, {}],
    ['very many properties, one of two ways', { anyOf: [wide, { type: 'string' }] }, {}],
    ['very many numbers to choose of', { enum: numbered(5000, (index) => index) }, 4999],
    ['very many texts to choose of', { enum: numbered(5000, (index) => `t${index}`) }, 'none'],
    ['very many types', { type: numbered(5000, () => 'string') }, 1],
  ])('tells that a long list against %s would take too long', (_, items, item) => {
    expect(
      schemaIssues(
        { type: 'array', items },
        numbered(2000, () => item),
      ),
    ).toEqual([{ pointer: '', message: expect.stringContaining('more than 5000000 steps') as string }]);
  });

  it('tells so too where each item of a very long list breaks a schema of one type', () => {
    const rows: JsonObject = { type: 'array', items: { type: 'string' } };
    const [issue, ...others] = schemaIssues(
      rows,
      numbered(1_000_000, () => 1),
    );
    expect(issue?.message).toContain('more than 5000000 steps');
    expect(others).toEqual([]);
    expect(
      schemaIssues(
        rows,
        numbered(1_000_000, () => 'a'),
      ),
    ).toEqual([]);
  });

  it('tells the first of very many ways in which a value breaks its schema, and how many there are', () => {
    const issues = schemaIssues(
      { type: 'array', items: { type: 'string' } },
      numbered(1234, () => 1),
    );
    expect(issues).toHaveLength(1001);
    expect(issues[999]?.pointer).toBe('/999');
    expect(issues[1000]).toEqual({ pointer: '', message: 'It breaks its schema in 234 more ways' });
  });

  it('tells that there are too many where the validator cannot collect them', () => {
    const rows = { type: 'array', items: { type: 'array', items: { type: 'string' } } };
    expect(schemaIssues(rows, [numbered(300_000, () => 1)])).toEqual([
      { pointer: '', message: 'It breaks its schema in too many ways to tell them' },
    ]);
  });

  it('cuts what it says of one', () => {
    const texts = numbered(3000, (index) => `text ${index}`);
    const [issue] = schemaIssues({ type: 'object', properties: { a: { enum: texts } } }, { a: 'none' });
    expect(issue?.message.length).toBeLessThan(5000);
  });

  it('holds large tables to schemas of many columns', () => {
    const names = numbered(30, (index) => `column ${index}`);
    const row = Object.fromEntries(names.map((name) => [name, 1]));
    const columns = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
    const rows = { type: 'array', items: { type: 'object', properties: columns, required: names } };
    expect(
      schemaIssues(
        rows,
        numbered(50_000, () => row),
      ),
    ).toEqual([]);
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
