import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/contracts/schema.ts';
import { findMisfit } from '../../../src/dag/schema-fit.ts';
import { walkSchema } from '../../../src/dag/schema-step.ts';

const text = { type: 'string' };
const object = (properties: { [key: string]: JsonSchema }, more: object = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});

describe('a value against a schema', () => {
  it.each<[JsonSchema, JsonSchema]>([
    [text, text],
    [{ type: 'integer' }, { type: 'number' }],
    [{ type: 'number' }, { type: 'integer' }],
    [{ type: ['string', 'null'] }, text],
    [{ anyOf: [text] }, { type: 'number' }],
    [{}, text],
    [text, true],
    [text, { enum: ['a'] }],
    [{ enum: ['a', 'b'] }, { enum: ['b'] }],
    [object({ a: text }), object({ a: text }, { required: ['a'] })],
    [object({}, { additionalProperties: true }), object({ a: text }, { required: ['a'] })],
    [object({ a: text, b: text }, { required: ['a'] }), object({ a: text }, { additionalProperties: false })],
    [{ type: 'array' }, { type: 'array', items: text }],
  ])('%j may fit %j', (given, wanted) => {
    expect(findMisfit(given, wanted)).toBeNull();
  });

  it.each<[JsonSchema, JsonSchema, string]>([
    [text, { type: 'number' }, 'string where number is needed'],
    [{ type: ['null', 'array'] }, text, 'null or array where string is needed'],
    [{ const: 3 }, text, 'number where string is needed'],
    [{ enum: ['a'] }, { enum: ['b', 'c'] }, 'none of the values that are allowed'],
    [
      { type: 'array', items: text },
      { type: 'array', items: { type: 'number' } },
      'its items: string where number is needed',
    ],
    [object({ b: text }), object({ a: text }, { required: ['a'] }), 'it has no "a"'],
    [
      object({ a: text }),
      object({ a: { type: 'null' } }, { required: ['a'] }),
      'its "a": string where null is needed',
    ],
    [
      object({ a: text }, { required: ['a'] }),
      object({}, { additionalProperties: false }),
      '"a" is not taken',
    ],
  ])('%j does not fit %j', (given, wanted, why) => {
    expect(findMisfit(given, wanted)).toBe(why);
  });
});

describe('a pointer into a schema', () => {
  it.each<[JsonSchema, string[], JsonSchema | string]>([
    [object({ a: object({ b: text }) }), ['a', 'b'], text],
    [object({ a: text }), ['b'], 'missing'],
    [object({ a: text }, { additionalProperties: {} }), ['b'], {}],
    [object({ a: text }, { additionalProperties: true }), ['b'], 'unknown'],
    [object({ a: text }, { additionalProperties: false }), ['b'], 'missing'],
    [object({ a: text }, { patternProperties: {} }), ['b'], 'unknown'],
    [object({ a: text }), ['toString'], 'missing'],
    [{ type: 'object' }, ['a'], 'unknown'],
    [{ type: 'array', items: text }, ['0'], text],
    [{ type: 'array', items: text }, ['01'], 'missing'],
    [{ type: 'array', items: text }, ['-'], 'missing'],
    [{ type: 'array', prefixItems: [text], items: false }, ['0'], text],
    [{ type: 'array', prefixItems: [text], items: false }, ['1'], 'missing'],
    [text, ['a'], 'missing'],
    [{ allOf: [object({ a: text })] }, ['b'], 'unknown'],
    [{ $ref: '#/$defs/x' }, ['a', 'b'], 'unknown'],
    [true, ['a'], 'unknown'],
    [text, [], text],
  ])('%j at %j', (schema, steps, expected) => {
    expect(walkSchema(schema, steps)).toEqual(expected);
  });
});
