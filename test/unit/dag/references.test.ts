import { describe, expect, it } from 'vitest';
import { argsDigest, resolveArgs } from '../../../src/dag/references.ts';
import { hashJson } from '../../../src/kernel/hash.ts';
import type { Json } from '../../../src/kernel/json.ts';

const RESULTS: { [id: string]: Json } = {
  p: { city: 'Lima', size: 11, ['a/b']: [true, { x: 1 }], none: null },
  list: [{ title: 'one' }, null, 'three'],
  tricky: { $ref: 'p', path: '/size' },
  lost: null,
};
const lookup = (id: string): Json => RESULTS[id] ?? null;

function resolve(args: Json, item?: Json): Json {
  const result = resolveArgs(args, lookup, item);
  if (!result.ok) throw new Error(result.failure.message);
  return result.args;
}

describe('resolving arguments', () => {
  it('passes values with their type', () => {
    const args = {
      a: { $ref: 'p', path: '/size' },
      b: [1, { $ref: 'p', path: '/a~1b/0' }],
      c: { d: { $ref: 'list' } },
    };
    expect(resolve(args)).toEqual({ a: 11, b: [1, true], c: { d: RESULTS['list'] } });
    expect(resolve({ $ref: 'p' })).toBe(RESULTS['p']);
  });

  it('hands on what holds no reference without copying it', () => {
    const args = { a: [1, { b: 'text $ref' }], path: '/x' };
    expect(resolve(args)).toBe(args);
    const mixed = { kept: { deep: [1] }, b: { $ref: 'p' } };
    expect((resolve(mixed) as typeof mixed).kept).toBe(mixed.kept);
  });

  it('builds texts: strings as they are, null as nothing, other values as JSON', () => {
    const parts = [
      'a ',
      { $ref: 'p', path: '/city' },
      ' ',
      { $ref: 'p', path: '/size' },
      { $ref: 'p', path: '/none' },
    ];
    expect(resolve({ $text: parts })).toBe('a Lima 11');
    expect(
      resolve({ $text: [{ $ref: 'p', path: '/a~1b' }, { $ref: 'lost' }, { $item: '/n' }] }, { n: false }),
    ).toBe('[true,{"x":1}]false');
  });

  it('looks into no literal, no string and no result', () => {
    expect(
      resolve({ a: { $literal: { $ref: 'p' } }, b: '{"$ref": "p"} $15', c: { $ref: 'tricky' } }),
    ).toEqual({
      a: { $ref: 'p' },
      b: '{"$ref": "p"} $15',
      c: { $ref: 'p', path: '/size' },
    });
    expect(resolve({ $item: '' }, { $ref: 'p' })).toEqual({ $ref: 'p' });
  });

  it('gives null for a pointer into a null result, or into a null item of a list of results', () => {
    expect(
      resolve([{ $ref: 'lost', path: '/a/b' }, { $ref: 'list', path: '/1/title' }, { $item: '/x' }], null),
    ).toEqual([null, null, null]);
  });

  it.each([
    [{ $ref: 'p', path: '/missing' }, '/missing'],
    [{ $ref: 'list', path: '/7' }, '/7'],
    [{ $ref: 'list', path: '/7/title' }, '/7/title'],
    [{ $ref: 'p', path: '/none/x' }, '/none/x'],
    [{ $ref: 'p', path: '/toString' }, '/toString'],
    [{ $text: [{ $item: '/gone' }] }, '/gone'],
  ])('says of %j that the information is missing, and where', (value, pointer) => {
    const result = resolveArgs({ a: value }, lookup, { x: 1 });
    expect(result).toMatchObject({
      ok: false,
      failure: { code: 'missing_info', class: 'MISSING_INFO', details: { pointer } },
    });
    expect(!result.ok && result.failure.message).toContain(pointer);
  });

  it('keeps a key named __proto__ a key', () => {
    const args = JSON.parse('{"__proto__": {"$ref": "p", "path": "/size"}, "b": 1}') as Json;
    const resolved = resolve(args) as object;
    expect(JSON.stringify(resolved)).toBe('{"__proto__":11,"b":1}');
    expect(Object.getPrototypeOf(resolved)).toBe(Object.prototype);
  });
});

describe('the digest of arguments', () => {
  const digest = (args: Json, results: Record<string, string> = {}, item?: string): string =>
    argsDigest(args, (id) => results[id] ?? '', item);

  it('is the hash of arguments without references', () => {
    for (const args of [
      { b: [1, 'x', null], a: { $gt: 1, path: '' } },
      {},
      { a: { $literal: { $ref: 'p' } } },
    ]) {
      expect(digest(args)).toBe(hashJson(args));
    }
  });

  it('changes with what is referred to, where in it, and the item', () => {
    const at = (path?: string): Json => ({ a: { $ref: 'p', ...(path === undefined ? {} : { path }) } });
    const all = [
      digest(at(), { p: '1' }),
      digest(at(), { p: '2' }),
      digest(at('/x'), { p: '1' }),
      digest({ a: { $text: [{ $ref: 'p' }] } }, { p: '1' }),
      digest({ a: { $item: '' } }, {}, '3'),
      digest({ a: { $item: '/x' } }, {}, '3'),
      digest({ a: { $item: '' } }, {}, '4'),
      digest({ a: '&1""' }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(digest(at(''), { p: '1' })).toBe(all[0]);
  });

  it('does not depend on what the node that is referred to is called, nor on the order of keys', () => {
    const results = { p: '1', q: '1' };
    expect(digest({ a: { $ref: 'p' }, b: 1 }, results)).toBe(digest({ b: 1, a: { $ref: 'q' } }, results));
  });
});
