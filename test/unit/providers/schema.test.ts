import { describe, expect, it } from 'vitest';
import { schemaIssues } from '../../../src/contracts/schema.ts';
import type { JsonSchema } from '../../../src/contracts/schema.ts';
import { planJsonSchema } from '../../../src/planner/plan-schema.ts';
import { adaptToolSchema } from '../../../src/providers/schema/adapt-schema.ts';
import { restoreAnswer } from '../../../src/providers/schema/restore-answer.ts';
import { ANTHROPIC_STRICT, OPENAI_STRICT } from '../../../src/providers/schema/strict-rules.ts';
import { strictSchema } from '../../../src/providers/schema/strict-schema.ts';

const TREE: JsonSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
  required: ['name'],
};

describe('adaptToolSchema', () => {
  it('leaves a plain object as it is, but for arrays that do not say what they hold', () => {
    const schema = {
      type: 'object',
      properties: { tags: { type: 'array' }, n: { type: ['array', 'null'] } },
    } as const;
    expect(adaptToolSchema(schema)).toEqual({
      type: 'object',
      properties: { tags: { type: 'array', items: {} }, n: { type: ['array', 'null'], items: {} } },
    });
  });

  it('takes combinators and references off the root, and accepts no less', () => {
    const schema: JsonSchema = {
      $ref: '#/$defs/shape',
      $defs: {
        shape: {
          oneOf: [
            {
              type: 'object',
              properties: { kind: { const: 'circle' }, r: { type: 'number' } },
              required: ['kind', 'r'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'square' }, a: { type: 'number' } },
              required: ['kind', 'a'],
            },
          ],
        },
      },
    };
    const adapted = adaptToolSchema(schema);
    expect(adapted).toMatchObject({
      type: 'object',
      properties: { kind: { anyOf: [{ const: 'circle' }, { const: 'square' }] }, r: {}, a: {} },
      required: ['kind'],
    });
    for (const value of [
      { kind: 'circle', r: 1 },
      { kind: 'square', a: 2 },
    ]) {
      expect(schemaIssues(adapted!, value)).toEqual([]);
    }
    expect(adapted).not.toHaveProperty('oneOf');
  });

  it('joins what must hold together', () => {
    const schema: JsonSchema = {
      description: 'A trip.',
      allOf: [
        { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] },
        { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
      ],
    };
    expect(adaptToolSchema(schema)).toEqual({
      type: 'object',
      description: 'A trip.',
      properties: { from: { type: 'string' }, to: { type: 'string' } },
      required: ['from', 'to'],
    });
  });

  it.each([
    ['a string', { type: 'string' }],
    ['nothing', false],
    ['a list or an object', { anyOf: [{ type: 'array', items: {} }, { type: 'object' }] }],
    ['a reference that leads nowhere', { $ref: '#/$defs/none' }],
    ['a reference in a circle', { $ref: '#' }],
  ] as [string, JsonSchema][])('cannot express arguments that are %s', (_what, schema) => {
    expect(adaptToolSchema(schema)).toBeNull();
  });

  it('takes anything as any object', () => {
    expect(adaptToolSchema(true)).toEqual({ type: 'object', properties: {} });
  });
});

describe('strictSchema', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, pattern: '^[a-z]+$' },
      size: { enum: ['s', 'm'] },
      place: { type: 'object', properties: { lat: { type: 'number', minimum: -90 } }, required: ['lat'] },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
    },
    required: ['name', 'tags'],
  };

  it('requires everything for OpenAI, and makes what was optional nullable', () => {
    expect(strictSchema(schema, OPENAI_STRICT)).toEqual({
      isWrapped: false,
      schema: {
        type: 'object',
        properties: {
          name: { type: 'string', pattern: '^[a-z]+$', description: '{minLength: 1}' },
          size: { type: ['string', 'null'], enum: ['s', 'm', null] },
          place: {
            anyOf: [
              {
                type: 'object',
                properties: { lat: { type: 'number', minimum: -90 } },
                required: ['lat'],
                additionalProperties: false,
              },
              { type: 'null' },
            ],
          },
          tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
        },
        required: ['name', 'size', 'place', 'tags'],
        additionalProperties: false,
      },
    });
  });

  it('leaves optional properties optional for Anthropic, and tells what it does not enforce', () => {
    expect(strictSchema(schema, ANTHROPIC_STRICT)?.schema).toMatchObject({
      properties: {
        name: { type: 'string', description: '{minLength: 1, pattern: "^[a-z]+$"}' },
        tags: { description: '{minItems: 2}' },
      },
      required: ['name', 'tags'],
    });
  });

  it('wraps what is no object', () => {
    expect(strictSchema({ type: 'array', items: { type: 'integer' } }, OPENAI_STRICT)).toEqual({
      isWrapped: true,
      schema: {
        type: 'object',
        properties: { value: { type: 'array', items: { type: 'integer' } } },
        required: ['value'],
        additionalProperties: false,
      },
    });
    expect(strictSchema({ anyOf: [{ type: 'string' }, { type: 'null' }] }, OPENAI_STRICT)?.isWrapped).toBe(
      true,
    );
  });

  it('follows references into itself where the API can', () => {
    expect(strictSchema(TREE, OPENAI_STRICT)?.schema).toMatchObject({
      properties: { children: { anyOf: [{ items: { $ref: '#/$defs/d1' } }, { type: 'null' }] } },
      $defs: { d1: { type: 'object' } },
    });
    expect(strictSchema(TREE, ANTHROPIC_STRICT)).toBeNull();
  });

  it.each([
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['an object of anything', { type: 'object' }],
    ['an open object', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true }],
    ['any value', { type: 'object', properties: { a: {} } }],
    ['a list of anything', { type: 'array' }],
    [
      'a property that is required but not described',
      { type: 'object', properties: {}, required: ['a'], additionalProperties: false },
    ],
    ['a plan, whose arguments are free', planJsonSchema([{ name: 'look_up' }])],
  ] as [string, JsonSchema][])('has no form for %s', (_what, free) => {
    expect(strictSchema(free, OPENAI_STRICT)).toBeNull();
    expect(strictSchema(free, ANTHROPIC_STRICT)).toBeNull();
  });

  it('keeps to the limits of the APIs', () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    const wide: JsonSchema = { type: 'object', properties: many };
    expect(strictSchema(wide, ANTHROPIC_STRICT)).toBeNull();
    expect(strictSchema(wide, OPENAI_STRICT)).not.toBeNull();
    let deep: JsonSchema = { type: 'string' };
    for (let depth = 0; depth < 11; depth++)
      deep = { type: 'object', properties: { a: deep }, required: ['a'] };
    expect(strictSchema(deep, OPENAI_STRICT)).toBeNull();
  });
});

describe('restoreAnswer', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      score: { type: 'number' },
      note: { type: 'string' },
      verdict: { type: ['string', 'null'] },
      parts: {
        type: 'array',
        items: {
          anyOf: [
            {
              type: 'object',
              properties: { kind: { const: 'a' }, x: { type: 'number' } },
              required: ['kind'],
            },
            { type: 'object', properties: { kind: { const: 'b' }, x: { type: 'null' } }, required: ['kind'] },
          ],
        },
      },
    },
    required: ['score'],
  };
  const wrap = { schema, isWrapped: false, hasAddedNulls: true };

  it('takes the nulls out that stand for what was left out, and no others', () => {
    const answer = {
      score: 1,
      note: null,
      verdict: null,
      parts: [
        { kind: 'a', x: null },
        { kind: 'b', x: null },
      ],
    };
    expect(JSON.parse(restoreAnswer(JSON.stringify(answer), wrap))).toEqual({
      score: 1,
      verdict: null,
      parts: [{ kind: 'a' }, { kind: 'b', x: null }],
    });
  });

  it('keeps a required null, which is a fault to be seen', () => {
    expect(restoreAnswer('{"score":null}', wrap)).toBe('{"score":null}');
  });

  it('takes the answer out of its wrap', () => {
    const list = { schema: { type: 'array', items: {} }, isWrapped: true, hasAddedNulls: true } as const;
    expect(restoreAnswer('{"value":[1,null]}', list)).toBe('[1,null]');
    expect(restoreAnswer('[1]', list)).toBe('[1]');
  });

  it('touches no text that is no JSON, and nothing that was not changed', () => {
    expect(restoreAnswer('{"score": 1, "note"', wrap)).toBe('{"score": 1, "note"');
    expect(restoreAnswer('{ "note": null }', null)).toBe('{ "note": null }');
  });
});
