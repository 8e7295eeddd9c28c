import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { callBuiltin } from '../../support/builtin-call.ts';

type Args = Parameters<typeof callBuiltin>[1];
const extract = (args: Args, context: Parameters<typeof callBuiltin>[2] = {}) =>
  callBuiltin('extract', args, context);

describe('by pointer', () => {
  it('takes what stands there, null included', async () => {
    const source = { items: [{ name: 'a' }, { name: null }], 'a/b': 1 };
    expect(await extract({ source, by: 'pointer', query: '/items/0/name' })).toEqual({
      first: 'a',
      all: ['a'],
      count: 1,
    });
    expect(await extract({ source, by: 'pointer', query: '/items/1/name' })).toEqual({
      first: null,
      all: [null],
      count: 1,
    });
    expect(await extract({ source, by: 'pointer', query: '/a~1b' })).toMatchObject({ first: 1 });
    expect(await extract({ source, by: 'pointer', query: '' })).toMatchObject({ first: source });
  });

  it('reads a text that holds JSON', async () => {
    expect(await extract({ source: '{"a":[1,2]}', by: 'pointer', query: '/a/1' })).toMatchObject({
      first: 2,
    });
  });

  it.each([
    [{ a: 1 }, '/b', 'missing_info'],
    [{ a: 1 }, '/constructor', 'missing_info'],
    [[1], '/-', 'missing_info'],
    [{ a: 1 }, 'a', 'tool_misuse'],
    ['no JSON', '/a', 'tool_misuse'],
  ])('refuses %j %s', async (source, query, code) => {
    await expect(extract({ source, by: 'pointer', query })).rejects.toMatchObject({ code });
  });

  it('gives nothing where nothing is required', async () => {
    expect(await extract({ source: {}, by: 'pointer', query: '/b', required: false })).toEqual({
      first: null,
      all: [],
      count: 0,
    });
  });
});

describe('by regular expression', () => {
  it('takes the whole match, the first group, or the one that is named', async () => {
    const source = 'v1.2.3 and v4.5.6';
    const run = (query: string, more: object = {}) => extract({ source, by: 'regex', query, ...more });
    expect(await run('v[\\d.]+')).toMatchObject({ all: ['v1.2.3', 'v4.5.6'] });
    expect(await run('v(\\d)\\.(\\d)')).toMatchObject({ all: ['1', '4'] });
    expect(await run('v(\\d)\\.(\\d)', { group: 2 })).toMatchObject({ all: ['2', '5'] });
    expect(await run('v(\\d)\\.(?<minor>\\d)', { group: 'minor', max: 1 })).toMatchObject({ all: ['2'] });
    expect(await run('V4', { flags: 'i' })).toMatchObject({ first: 'v4' });
  });

  it.each([
    ['^(a+)+$', `${'a'.repeat(50)}!`, {}],
    ['(', 'text', {}],
    ['(a)', 'a', { group: 2 }],
    ['(a)', 'a', { group: 'name' }],
    ['a', { no: 'text' }, {}],
    ['a', 'a', { flags: 'g' }],
  ])('refuses %s on %j with %j', async (query, source, more) => {
    await expect(extract({ source, by: 'regex', query, ...more })).rejects.toMatchObject({
      code: 'tool_misuse',
    });
  });
});

describe('by selector', () => {
  const source = `<table><tr><td class="n">Tokyo</td><td> 35
    676 000 </td></tr><tr><td class=n>Paris<td>9904000</table><a href="/x?a=1&amp;b=2" id=l>next</a><a>none</a>`;

  it('takes texts and attributes in the order of the page', async () => {
    const run = (query: string, more: object = {}) => extract({ source, by: 'css', query, ...more });
    expect(await run('td.n')).toMatchObject({ all: ['Tokyo', 'Paris'] });
    expect(await run('td.n + td')).toMatchObject({ all: ['35 676 000', '9904000'] });
    expect(await run('a', { attribute: 'href' })).toEqual({
      first: '/x?a=1&b=2',
      all: ['/x?a=1&b=2'],
      count: 1,
    });
    expect(await run('tr:has(td:contains(Paris)) td:nth-child(2)')).toMatchObject({ first: '9904000' });
    expect(await run('td', { max: 1 })).toMatchObject({ all: ['Tokyo'] });
  });

  it.each([
    ['td[', 'tool_misuse'],
    [':no-such-class', 'tool_misuse'],
    ['td'.repeat(300), 'tool_misuse'],
    ['video', 'missing_info'],
  ])('refuses %s: %s', async (query, code) => {
    await expect(extract({ source, by: 'css', query })).rejects.toMatchObject({ code });
  });

  it('ends a selector that takes too long', async () => {
    const html = '<p></p>'.repeat(20_000);
    await expect(
      extract({ source: html, by: 'css', query: 'p:nth-last-child(2n+1) ~ p:nth-last-child(3n) ~ p' }),
    ).rejects.toMatchObject({ code: 'tool_misuse' });
  });

  it.each([
    ['many elements beside each other', '<a>'.repeat(60_000), 'b', 'missing_info'],
    ['elements behind each other', '<i>x</i>'.repeat(40_000), 'i ~ i', 'tool_misuse'],
    ['more of them', '<i>x</i>'.repeat(200_000), 'i ~ i ~ i', 'tool_misuse'],
    ['the text of each of many parts', `${'<b>'.repeat(500)}${'x'.repeat(1_000_000)}`, 'b', 'tool_misuse'],
  ])('does not hold up the process with %s', async (_what, source, query, code) => {
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    await expect(extract({ source, by: 'css', query })).rejects.toMatchObject({ code });
    delay.disable();
    expect(delay.max / 1e6).toBeLessThan(2000);
  });

  it('counts the rows of a long table', async () => {
    const source = `<table>${'<tr><td>x</td><td>y</td></tr>'.repeat(2500)}</table>`;
    expect(await extract({ source, by: 'css', query: 'tr:nth-child(2499) td + td' })).toMatchObject({
      all: ['y'],
    });
  });

  it('ends with the call', async () => {
    const controller = new AbortController();
    const ended = extract(
      { source: '<i>x</i>'.repeat(200_000), by: 'css', query: 'i ~ i ~ i' },
      { signal: controller.signal },
    );
    const reason = new Error('no longer wanted');
    controller.abort(reason);
    await expect(ended).rejects.toBe(reason);
  });

  it('refuses HTML that is nested without end', async () => {
    await expect(extract({ source: '<b>'.repeat(100_000), by: 'css', query: 'b' })).rejects.toMatchObject({
      code: 'tool_failed',
    });
  });
});
