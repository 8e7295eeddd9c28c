import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loosenSchema } from '../../../src/contracts/loose-schema.ts';
import { compileSchema, refuseInexpressible, schemaIssues } from '../../../src/contracts/schema.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';

const BRANCH = {
  type: 'object',
  properties: { how: { enum: ['phone', 'email'] }, phone: { type: 'string' } },
  if: { properties: { how: { const: 'phone' } } },
  then: { required: ['phone'] },
} as const satisfies JsonObject;

describe('loosenSchema', () => {
  it('leaves a schema alone that can be expressed', () => {
    const schema = {
      type: 'object',
      properties: { if: { type: 'string' }, not: { not: {} } },
      default: { not: 1 },
    };
    expect(loosenSchema(schema)).toBe(schema);
    expect(schemaIssues(schema, { not: 1 })).toHaveLength(1);
  });

  it('leaves out what cannot be expressed, wherever it stands, and nothing else', () => {
    const schema = {
      type: 'object',
      properties: { if: { type: 'string', not: { const: 'x' } }, list: { type: 'array', items: BRANCH } },
      $defs: { then: { type: 'object', dependentRequired: { a: ['b'] } } },
      dependentSchemas: { a: { required: ['b'] } },
      unevaluatedProperties: false,
      default: { if: 1 },
      required: ['if'],
    };
    expect(loosenSchema(schema)).toEqual({
      type: 'object',
      properties: {
        if: { type: 'string' },
        list: { type: 'array', items: { type: 'object', properties: BRANCH.properties } },
      },
      $defs: { then: { type: 'object' } },
      default: { if: 1 },
      required: ['if'],
    });
  });

  it('lets one of several hold where what told them apart is gone', () => {
    const schema = { oneOf: [{ type: 'string', not: { const: 'a' } }, { const: 'a' }] };
    expect(schemaIssues(schema, 'a')).toEqual([]);
    expect(schemaIssues(schema, 1)).not.toEqual([]);
  });

  it('still holds values to the rest', () => {
    expect(schemaIssues(BRANCH, { how: 'phone' })).toEqual([]);
    expect(schemaIssues(BRANCH, { how: 'fax' })).toHaveLength(1);
    expect(
      schemaIssues({ allOf: [BRANCH, { type: 'object', properties: { how: {} }, required: ['how'] }] }, {}),
    ).not.toEqual([]);
  });

  it('makes something that compiles of any keyword in any place', () => {
    const keywords = fc.constantFrom(
      ...[
        'if',
        'then',
        'else',
        'not',
        'dependentSchemas',
        'unevaluatedItems',
        'properties',
        'items',
        'allOf',
        '$defs',
      ],
      ...['oneOf', 'additionalProperties', '__proto__'],
    );
    const placed = (keyword: string, part: JsonObject): JsonObject => {
      if (keyword === 'allOf' || keyword === 'oneOf') return { [keyword]: [part] };
      if (keyword === 'properties' || keyword === '$defs') return { [keyword]: { if: part } };
      return Object.fromEntries([[keyword, part]]);
    };
    const schema = fc
      .array(fc.array(keywords, { minLength: 1, maxLength: 3 }), { maxLength: 5 })
      .map((levels) =>
        levels.reduce<JsonObject>(
          (inner, names) =>
            Object.assign({ type: 'object' }, ...names.map((name) => placed(name, inner))) as JsonObject,
          { type: 'string' },
        ),
      );
    fc.assert(
      fc.property(schema, (given) => {
        expect(() => compileSchema(given)).not.toThrow();
      }),
      { numRuns: 500 },
    );
  });
});

it('who defines a schema is told what of it would count for nothing', () => {
  expect(() => refuseInexpressible(BRANCH)).toThrow(/if\/then\/else/);
  expect(() => refuseInexpressible({ type: 'object' })).not.toThrow();
});
