import { describe, expect, it } from 'vitest';
import { planOf, problemsOf, summary, tool, TOOLS, validate } from './plan-helpers.ts';

const add = (id: string, a: unknown, b: unknown, more: object = {}) => ({
  id,
  tool: 'add',
  args: { a, b },
  ...more,
});
const find = (id: string, query: unknown = 'x') => ({ id, tool: 'find', args: { query } });

describe('an accepted plan', () => {
  it('has dependencies as declared, then as referenced, each once', () => {
    const result = validate(
      planOf(add('x', 1, 2), add('y', 1, 2), add('z', { $ref: 'y' }, { $ref: 'x' }, { deps: ['x', 'x'] })),
    );
    expect(result.ok && result.plan.nodes.map(({ deps }) => deps)).toEqual([[], [], ['x', 'y']]);
  });

  it('keeps what the planner wrote and fills in empty arguments', () => {
    const result = validate(planOf({ id: 'x', tool: 'anything', optional: false }));
    expect(result.ok && result.plan).toEqual({
      nodes: [{ id: 'x', tool: 'anything', args: {}, deps: [] }],
      output: 'x',
    });
  });

  it('counts a text with a list item and a whole reference as arguments', () => {
    const item = { $text: ['see ', { $item: '/title' }] };
    const result = validate(
      planOf(
        find('s'),
        { id: 'f', tool: 'fetch', args: { url: { $item: '' } }, foreach: { $ref: 's', path: '/urls' } },
        { id: 'g', tool: 'write', args: { sections: [item] }, foreach: { $ref: 'f' } },
        { id: 'h', tool: 'anything', args: { $ref: 'g', path: '/0' } },
      ),
    );
    expect(problemsOf(result)).toEqual([]);
    expect(result.ok && result.estimate).toEqual({
      nodes: 4,
      toolCalls: 22,
      weight: 32,
      levels: 4,
      criticalWeight: 5,
    });
  });

  it('follows escaped pointers', () => {
    expect(summary(validate(planOf(find('s'), find('t', { $ref: 's', path: '/a~1b' }))))).toEqual([]);
  });

  it('may have up to the allowed number of nodes', () => {
    const nodes = ['a', 'b', 'c'].map((id) => add(id, 1, 2));
    expect(summary(validate(planOf(...nodes), { limits: { maxNodes: 3, foreachItems: 1 } }))).toEqual([]);
    expect(summary(validate(planOf(...nodes), { limits: { maxNodes: 2, foreachItems: 1 } }))).toEqual([
      'too_many_nodes /nodes',
    ]);
  });

  it('warns once of all unused nodes, which stay in it', () => {
    const result = validate(planOf(add('a', 1, 2), add('b', { $ref: 'a' }, 2), add('c', 1, 2)));
    expect(result).toMatchObject({ ok: true, plan: { nodes: [{}, {}, {}] } });
    expect(result.warnings).toMatchObject([{ code: 'unused_node', node: 'a' }]);
    expect(result.warnings[0]?.message).toContain('"a", "b"');
  });
});

describe('the shape', () => {
  it.each([
    [null, ['invalid_shape ']],
    ['text', ['invalid_shape ']],
    [{ output: 'a' }, ['invalid_shape /nodes']],
    [{ nodes: [], output: 3, extra: 1 }, ['empty_plan /nodes']],
    [{ nodes: [add('a', 1, 2)] }, ['missing_output /output']],
    [{ nodes: [add('a', 1, 2)], result: 'a' }, ['invalid_shape /result']],
    [{ steps: [], output: 'a' }, ['invalid_shape /steps']],
    [{ nodes: [7], output: 'a' }, ['invalid_shape /nodes/0', 'missing_output /output']],
    [planOf(add('', 1, 2)), ['invalid_shape /nodes/0/id', 'missing_output /output']],
    [planOf(add('i'.repeat(65), 1, 2)), ['invalid_shape /nodes/0/id', 'missing_output /output']],
    [planOf({ id: 'a', args: {} }), ['invalid_shape /nodes/0/tool']],
    [planOf({ id: 'a', tool: 'add', args: [] }), ['invalid_shape /nodes/0/args']],
    [planOf({ id: 'a', tool: 'add', arguments: { a: 1 } }), ['invalid_shape /nodes/0/arguments']],
    [planOf(add('a', 1, 2, { optional: 'yes' })), ['invalid_shape /nodes/0/optional']],
    [
      planOf(add('a', 1, 2, { deps: ['b', 1] })),
      ['invalid_shape /nodes/0/deps/1', 'missing_dependency /nodes/0/deps/0'],
    ],
    [planOf(add('a', 1, 2, { 'a/b': 1 })), ['invalid_shape /nodes/0/a~1b']],
  ])('of %j is refused', (raw, expected) => {
    expect(summary(validate(raw))).toEqual(expected);
  });

  it('names the key that was meant', () => {
    const [problem] = problemsOf(validate(planOf(add('a', 1, 2, { depnds: [] }))));
    expect(problem?.hint).toBe('Did you mean "deps"?');
  });
});

describe('references', () => {
  it.each([
    [{ $ref: 'x', path: 'a' }, 'bad_reference /nodes/1/args/a/path'],
    [{ $ref: 'x', path: '/a~2' }, 'bad_reference /nodes/1/args/a/path'],
    [{ $ref: 'x', path: 3 }, 'bad_reference /nodes/1/args/a/path'],
    [{ $ref: 3 }, 'bad_reference /nodes/1/args/a/$ref'],
    [{ $ref: 'x', $text: [] }, 'bad_reference /nodes/1/args/a/$text'],
    [{ $text: 'x' }, 'bad_reference /nodes/1/args/a/$text'],
    [{ $text: [3] }, 'bad_reference /nodes/1/args/a/$text'],
    [{ $text: ['a'] }, 'invalid_args /nodes/1/args/a'],
    [{ $text: [{ $ref: 'y' }] }, 'bad_reference /nodes/1/args/a/$text/0'],
    [{ $literal: 3, path: '' }, 'bad_reference /nodes/1/args/a/path'],
    [{ $literal: { $ref: 'x' } }, 'invalid_args /nodes/1/args/a'],
    [{ $item: '' }, 'invalid_foreach /nodes/1/args/a'],
    [{ $ref: 'x', path: '/0' }, 'bad_reference /nodes/1/args/a'],
  ])('%j in place of a number is one problem', (value, expected) => {
    const found = summary(validate(planOf(add('x', 1, 2), add('z', value, { $ref: 'x' }))));
    expect(found.filter((line) => line === expected)).toHaveLength(1);
    expect(found.filter((line) => !line.startsWith('invalid_args'))).toEqual(
      expected.startsWith('invalid_args') ? [] : [expected],
    );
  });

  it('hints at the pointer, the node and the item that was meant', () => {
    const hints = problemsOf(
      validate(
        planOf(
          find('search'),
          {
            id: 'f',
            tool: 'fetch',
            args: { url: { $item: '' } },
            foreach: { $ref: 'search', path: '/urls' },
          },
          find('a', { $ref: 'searhc' }),
          find('b', { $ref: 'f[0]' }),
          find('c', { $ref: 'f', path: '/title' }),
          find('d', { $ref: 'search', path: '/url' }),
        ),
      ),
    ).map(({ hint }) => hint);
    expect(hints).toEqual([
      'Did you mean "search"?',
      'Write {"$ref": "f", "path": "/0"}.',
      'Did you mean "/0/title"?',
      'Did you mean "/urls"?',
    ]);
  });

  it('to an unknown node is one problem, though it stands in deps too', () => {
    expect(
      summary(validate(planOf(add('a', 1, { $ref: 'ghost' }, { deps: ['ghost', 'other', 'other'] })))),
    ).toEqual(['bad_reference /nodes/0/args/b', 'missing_dependency /nodes/0/deps/1']);
  });

  it('into what the schema leaves open are allowed', () => {
    const open = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true };
    const either = { anyOf: [{ type: 'string' }, { type: 'object' }] };
    const tools = new Map(
      [
        ...TOOLS.values(),
        tool('open', true, open),
        tool('either', true, either),
        tool('bare', true, { type: 'object' }),
      ].map((spec) => [spec.name, spec]),
    );
    for (const name of ['open', 'either', 'bare', 'anything']) {
      const raw = planOf({ id: 'x', tool: name, args: {} }, add('z', { $ref: 'x', path: '/b/c' }, 1));
      expect(summary(validate(raw, { tools }))).toEqual([]);
    }
  });

  it('do not hide what is wrong beside them', () => {
    const raw = planOf(find('s'), {
      id: 'w',
      tool: 'write',
      args: { sections: [{ $ref: 's', path: '/urls/0' }, 5], x: 1 },
    });
    expect(summary(validate(raw)).toSorted()).toEqual([
      'invalid_args /nodes/1/args/sections/1',
      'invalid_args /nodes/1/args/x',
    ]);
  });

  it('do not hide what is wrong beside them where no sample fits their place', () => {
    const odd = { type: 'string', pattern: '^[A-Z]{3}-[0-9]+$' };
    const strict = tool('strict', {
      type: 'object',
      properties: {
        code: odd,
        either: { anyOf: [{ type: 'array', items: odd }, { type: 'number' }] },
        n: { type: 'number' },
      },
      required: ['n'],
    });
    const args = { code: { $ref: 's', path: '/urls/0' }, either: [{ $ref: 's', path: '/urls/1' }], n: 'x' };
    const raw = planOf(find('s'), { id: 'w', tool: 'strict', args });
    const tools = new Map([...TOOLS, ['strict', strict]]);
    expect(summary(validate(raw, { tools }))).toEqual(['invalid_args /nodes/1/args/n']);
  });

  it('are checked in the items of a foreach', () => {
    const f = { id: 'f', tool: 'fetch', args: { url: { $item: '' } }, foreach: { $ref: 's', path: '/urls' } };
    const g = { id: 'g', tool: 'find', args: { query: { $item: '/size' } }, foreach: { $ref: 'f' } };
    const h = { id: 'h', tool: 'find', args: { query: { $item: '/name' } }, foreach: { $ref: 'f' } };
    expect(summary(validate({ nodes: [find('s'), f, g, h], output: 'g' }))).toEqual([
      'invalid_args /nodes/2/args/query',
      'bad_reference /nodes/3/args/query',
    ]);
  });

  it.each([
    ['a list', ['a']],
    ['an id', 's'],
    ['a text', { $text: [] }],
    ['an extra key', { $ref: 's', as: 'x' }],
  ])('of a foreach that is %s are refused', (_, foreach) => {
    const raw = planOf(find('s'), { id: 'f', tool: 'fetch', args: { url: { $item: '' } }, foreach });
    expect(summary(validate(raw))).toEqual(['invalid_foreach /nodes/1/foreach']);
  });
});

describe('ids', () => {
  it('of foreach items are taken', () => {
    const f = { id: 'f', tool: 'fetch', args: { url: { $item: '' } }, foreach: { $ref: 's', path: '/urls' } };
    expect(summary(validate(planOf(find('s'), find('f[0]'), find('s[0]'), f)))).toEqual([
      'duplicate_id /nodes/1/id',
    ]);
  });

  it('that objects know are ordinary', () => {
    const raw = planOf(
      add('__proto__', 1, 2),
      add('constructor', { $ref: '__proto__' }, 2),
      add('toString', { $ref: 'constructor' }, 2, { deps: ['__proto__'] }),
    );
    const result = validate(raw);
    expect(result.ok && result.plan.nodes.at(-1)?.deps).toEqual(['__proto__', 'constructor']);
    expect(summary(validate(planOf(add('a', { $ref: 'hasOwnProperty' }, 1))))).toEqual([
      'bad_reference /nodes/0/args/a',
    ]);
    expect(summary(validate(planOf({ id: 'a', tool: 'toString', args: {} })))).toEqual([
      'unknown_tool /nodes/0/tool',
    ]);
  });
});

describe('arguments', () => {
  it('named __proto__ are not swallowed', () => {
    const raw = JSON.parse(
      '{"nodes":[{"id":"a","tool":"add","args":{"a":1,"b":2,"__proto__":{"c":1}}}],"output":"a"}',
    ) as unknown;
    expect(summary(validate(raw))).toEqual(['invalid_args /nodes/0/args/__proto__']);
  });

  it('that are no JSON numbers are refused anywhere', () => {
    const raw = planOf({ id: 'a', tool: 'anything', args: { x: [{ $literal: { y: Infinity } }] } });
    expect(summary(validate(raw))).toEqual(['invalid_args /nodes/0/args/x/0/y']);
  });
});
