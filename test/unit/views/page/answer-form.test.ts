import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/contracts/schema.ts';
import type { Json } from '../../../../src/kernel/json.ts';
import {
  assembleValue,
  type FormField,
  formFields,
  readField,
} from '../../../../src/views/page/answer-form.ts';

const MAIL: JsonSchema = {
  type: 'object',
  properties: {
    to: { type: 'string', description: 'Whom it goes to.' },
    copies: { type: 'array', items: { type: 'string' } },
    urgent: { type: 'boolean' },
    size: { enum: ['small', 'large', 3] },
    retries: { type: 'integer' },
    frame: { $ref: '#/$defs/frame' },
    extra: {},
  },
  required: ['to', 'frame'],
  $defs: { frame: { type: 'object', properties: { width: { type: 'number' } }, required: ['width'] } },
};

const brief = (fields: readonly FormField[]): unknown =>
  fields.map(({ label, kind, isRequired, initial }) => [label, kind, isRequired, initial]);

describe('formFields', () => {
  it('has a field for each value that can be written, filled from the value that there is', () => {
    const value = {
      to: 'a@b',
      copies: ['c', 'd'],
      urgent: false,
      frame: { width: 2.5 },
      extra: { deep: [1] },
    };
    expect(brief(formFields(MAIL, value))).toEqual([
      ['to', 'text', true, 'a@b'],
      ['copies', 'lines', false, 'c\nd'],
      ['urgent', 'boolean', false, 'false'],
      ['size', 'choice', false, ''],
      ['retries', 'integer', false, ''],
      ['frame › width', 'number', true, '2.5'],
      ['extra', 'json', false, '{\n  "deep": [\n    1\n  ]\n}'],
    ]);
    expect(formFields(MAIL, value)[0]?.description).toBe('Whom it goes to.');
  });

  it('asks for JSON where a schema allows more than a field can hold', () => {
    expect(brief(formFields({ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'x'))).toEqual([
      ['value', 'json', true, '"x"'],
    ]);
    expect(brief(formFields(true, undefined))).toEqual([['value', 'json', true, '']]);
    expect(brief(formFields({ type: 'string' }, 5))).toEqual([['value', 'json', true, '5']]);
    expect(brief(formFields({ $ref: '#/$defs/self', $defs: { self: { $ref: '#/$defs/self' } } }, 1))).toEqual(
      [['value', 'json', true, '1']],
    );
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    expect(brief(formFields({ type: 'object', properties: many }, undefined))).toEqual([
      ['value', 'json', true, ''],
    ]);
  });
});

describe('readField', () => {
  const fieldOf = (schema: JsonSchema, isRequired = true): FormField => {
    const root = { type: 'object', properties: { x: schema }, required: isRequired ? ['x'] : [] };
    const [field] = formFields(root, undefined);
    if (field === undefined) throw new Error('no field');
    return field;
  };

  it.each<[JsonSchema, string, Json]>([
    [{ type: 'string' }, '', ''],
    [{ type: 'string' }, '5', '5'],
    [{ type: 'number' }, '2.5', 2.5],
    [{ type: 'integer' }, ' 7 ', 7],
    [{ type: 'boolean' }, 'true', true],
    [{ enum: ['a', 3] }, '3', 3],
    [{ type: 'array', items: { type: 'string' } }, 'a\n\nb', ['a', 'b']],
    [{}, '{"a": [1]}', { a: [1] }],
  ])('reads %j of %j', (schema, written, value) => {
    expect(readField(fieldOf(schema), written)).toEqual({ ok: true, value });
  });

  it.each<[JsonSchema, string, string]>([
    [{ type: 'number' }, 'five', 'is no number'],
    [{ type: 'integer' }, '2.5', 'is no whole number'],
    [{ type: 'integer' }, '', 'is needed'],
    [{}, '{a: 1}', 'is no JSON'],
  ])('says what is wrong with %j: %j', (schema, written, message) => {
    expect(readField(fieldOf(schema), written)).toMatchObject({
      ok: false,
      message: expect.stringContaining(message) as string,
    });
  });

  it('leaves out what need not be written', () => {
    expect(readField(fieldOf({ type: 'number' }, false), '')).toEqual({ ok: true, value: undefined });
    expect(readField(fieldOf({ type: 'string' }, false), '')).toEqual({ ok: true, value: undefined });
  });
});

describe('assembleValue', () => {
  it('changes what has a field and keeps what has none', () => {
    const base = { to: 'a', frame: { width: 1, depth: 2 }, hidden: true };
    const changed = assembleValue(base, [
      { path: ['to'], value: 'b' },
      { path: ['frame', 'width'], value: 5 },
      { path: ['size'], value: undefined },
    ]);
    expect(changed).toEqual({ to: 'b', frame: { width: 5, depth: 2 }, hidden: true });
    expect(base).toEqual({ to: 'a', frame: { width: 1, depth: 2 }, hidden: true });
  });

  it('makes objects where there are none, `__proto__` too, and takes out what was emptied', () => {
    expect(JSON.stringify(assembleValue(undefined, [{ path: ['__proto__', 'x'], value: 1 }]))).toBe(
      '{"__proto__":{"x":1}}',
    );
    expect(assembleValue({ a: 1, b: 2 }, [{ path: ['a'], value: undefined }])).toEqual({ b: 2 });
    expect(assembleValue('old', [{ path: [], value: 'new' }])).toBe('new');
  });
});
