import { describe, expect, it } from 'vitest';
import { readToolCalls } from '../../../src/providers/tool-arguments.ts';
import { wireName } from '../../../src/providers/tool-names.ts';

describe('wireName', () => {
  it('leaves names that every API takes', () => {
    expect(wireName('get_population-2')).toBe('get_population-2');
  });

  it('gives any other name one of its own, always the same', () => {
    const names = ['a.b', 'a/b', 'a b', 'städte', '', 'x'.repeat(65), `${'x'.repeat(65)}y`];
    const wired = names.map(wireName);
    expect(new Set(wired).size).toBe(names.length);
    for (const name of wired) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(names.map(wireName)).toEqual(wired);
    expect(wireName('a.b')).toMatch(/^a_b_[0-9a-f]{8}$/);
  });
});

describe('readToolCalls', () => {
  const read = (args: string): unknown =>
    readToolCalls([{ id: '1', name: 'a_b', args }], new Map([['a_b', 'a.b']]), 'p')[0]?.args;

  it('takes one JSON object, or none at all as the empty one', () => {
    expect(read('{"a":{"b":[1,null]}}')).toEqual({ a: { b: [1, null] } });
    expect(read(' ')).toEqual({});
  });

  it.each(['{"a":1', '{"a":1}{"a":2}', '[1]', '"a"', 'null', '{"a":1,"a":2}', '{"a":1e999}', "{'a':1}"])(
    'takes nothing from %s',
    (args) => {
      expect(() => read(args)).toThrow(
        expect.objectContaining({
          code: 'model_malformed',
          retry: 'TRANSIENT',
          details: { provider: 'p', tool: 'a_b', arguments: args },
        }),
      );
    },
  );

  it('wants an id of its own for each call', () => {
    const call = { id: '1', name: 'a', args: '' };
    expect(() => readToolCalls([call, call], new Map(), 'p')).toThrow('without an id of their own');
    expect(() => readToolCalls([{ ...call, id: '' }], new Map(), 'p')).toThrow('without an id of their own');
  });
});
