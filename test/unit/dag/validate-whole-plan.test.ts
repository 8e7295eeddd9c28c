import { describe, expect, it } from 'vitest';
import { node, plan, planOf, problemsOf, summary, validate } from './plan-helpers.ts';

const add = (id: string, a: unknown, b: unknown) => ({ id, tool: 'add', args: { a, b } });
const find = (id: string, query: unknown = 'x') => ({ id, tool: 'find', args: { query } });

describe('cycles', () => {
  const wait = (id: string, ...deps: string[]) => ({ id, tool: 'anything', args: {}, deps });

  it('are each reported, closed, along the dependencies', () => {
    const raw = planOf(
      wait('a', 'b'),
      wait('b', 'c', 'a'),
      wait('c', 'a'),
      wait('x', 'y', 'a'),
      wait('y', 'x'),
      wait('z', 'x'),
    );
    expect(problemsOf(validate(raw)).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'cycle nodes wait for each other: a → b → a',
      'cycle nodes wait for each other: x → y → x',
    ]);
  });

  it('are found by way of foreach and of text', () => {
    const raw = planOf(
      { id: 'a', tool: 'anything', args: { x: { $text: [{ $ref: 'b' }] } } },
      { id: 'b', tool: 'anything', args: {}, foreach: { $ref: 'a' } },
    );
    expect(summary(validate(raw))).toEqual(['cycle /nodes/0']);
  });
});

describe('the budget', () => {
  it('refuses a plan whose calls do not fit, foreach at its bound', () => {
    const f = { id: 'f', tool: 'fetch', args: { url: { $item: '' } }, foreach: { $ref: 's', path: '/urls' } };
    expect(summary(validate(planOf(find('s'), f), { remainingToolCalls: 11 }))).toEqual([]);
    expect(summary(validate(planOf(find('s'), f), { remainingToolCalls: 10 }))).toEqual([
      'over_budget /nodes',
    ]);
  });
});

describe('a replan', () => {
  const done = new Map([
    ['p', { node: node('p', [], { tool: 'find', args: { query: 'x' } }), value: { urls: ['a', 'b'] } }],
    ['q', { node: node('q', ['p'], { tool: 'fetch', args: { url: 'a' } }) }],
  ]);

  it('may refer to done nodes, restated or not', () => {
    const result = validate(planOf(find('p'), find('r', { $ref: 'q', path: '/title' })), { done });
    expect(result).toMatchObject({ ok: true, estimate: { nodes: 1, toolCalls: 1, levels: 1 } });
    expect(result.ok && result.plan.nodes.map(({ id }) => id)).toEqual(['p', 'r']);
  });

  it('may not give the id of a done node to another', () => {
    const [problem] = problemsOf(validate(planOf(find('p', 'y')), { done }));
    expect(problem).toMatchObject({ code: 'duplicate_id', pointer: '/nodes/0/id' });
    expect(problem?.hint).toContain('another id');
  });

  it('is checked against the results at hand', () => {
    const refer = (path: string) => validate(planOf(find('r', { $ref: 'p', path })), { done });
    expect(summary(refer('/urls/1'))).toEqual([]);
    expect(summary(refer('/urls/2'))).toEqual(['bad_reference /nodes/0/args/query']);
    expect(summary(refer('/urls'))).toEqual(['invalid_args /nodes/0/args/query']);
    const each = {
      id: 'f',
      tool: 'fetch',
      args: { url: { $item: '' } },
      foreach: { $ref: 'p', path: '/urls' },
    };
    const limits = { maxNodes: 9, foreachItems: 1 };
    expect(summary(validate(planOf(each), { done, limits }))).toEqual(['invalid_foreach /nodes/0/foreach']);
  });

  it('must differ from the plan that failed by more than names and order', () => {
    const previous = plan(
      'w',
      node('p', [], { tool: 'find', args: { query: 'x' } }),
      node('s', [], { tool: 'find', args: { query: 'y' } }),
      node('w', ['p', 's'], { args: { a: { $ref: 's' } } }),
    );
    const again = (query: string) =>
      planOf(find('other', query), {
        id: 'w',
        tool: 'anything',
        args: { a: { $ref: 'other' } },
        deps: ['p'],
      });
    expect(summary(validate(again('y'), { done, previous }))).toEqual(['unchanged_plan /nodes']);
    expect(summary(validate(again('z'), { done, previous }))).toEqual([]);
  });
});

it('validates 20 000 nodes in a chain, and as many slips, in time that grows with their number', () => {
  const size = 20_000;
  const nodes = Array.from({ length: size }, (_, index) =>
    add(`n${index}`, 1, index > 0 ? { $ref: `n${index - 1}` } : 2),
  );
  const limits = { maxNodes: size, foreachItems: 1 };
  const result = validate({ nodes, output: `n${size - 1}` }, { limits });
  expect(result).toMatchObject({ ok: true, estimate: { levels: size } });
  const slips = nodes.map((each, index) => ({ ...each, args: { a: 1, b: { $ref: `m${index}` } } }));
  expect(problemsOf(validate({ nodes: slips, output: 'n0' }, { limits }))).toHaveLength(size);
});
