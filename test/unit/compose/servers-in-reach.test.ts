/* Which servers a run asks before it goes on, and what its log stands in for. */
import { describe, expect, it } from 'vitest';
import { readLoggedServers } from '../../../src/compose/logged-servers.ts';
import type { Outset } from '../../../src/compose/run-options.ts';
import { serversInReach } from '../../../src/compose/servers-in-reach.ts';
import { type TaskInput, taskSchema } from '../../../src/contracts/task.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';

const OWN = ['echo', 'delegate', 'a__mine'];
const isOwn = (tool: string): boolean => OWN.includes(tool);
const server = (more: object = {}) => ({ command: 'x', ...more });

function settings(more: Partial<TaskInput> = {}): Partial<TaskInput> {
  return { mcp: { a: server(), b: server(), hasty: server({ totalTimeoutMs: 60_000 }) }, ...more };
}

function reach(outset: Outset, more: Partial<TaskInput> = {}) {
  const task = taskSchema.parse({ name: 't', goal: 'g', provider: 'mock', ...settings(more) });
  const servers = task.mcp ?? {};
  const logged = readLoggedServers(outset.before ?? [], Object.keys(servers), isOwn);
  return serversInReach({ task, outset, servers, isOwn, isLogged: (name) => logged.has(name) });
}

const text = (tool: string, args: Json = {}): string =>
  JSON.stringify({ nodes: [{ id: 'x', tool, args }], output: 'x' });
const delegate = (args: Json): string => text('delegate', args);

describe('a new run asks', () => {
  it.each<[string, Outset, Partial<TaskInput>, string[]]>([
    ['all where a planner is shown them', {}, {}, ['a', 'b', 'hasty']],
    ['those that a supplied plan names', { plan: text('b__x') }, {}, ['b']],
    ['none for a plan of its own tools, whatever they are called', { plan: text('a__mine') }, {}, []],
    ['all for a tool of nobody', { plan: text('ehco') }, {}, ['a', 'b', 'hasty']],
    ['none for a text that is no plan', { plan: '{"nodes": 7}' }, {}, []],
    ['none for a plan whose nodes are none', { plan: '{"nodes": [7, {"tool": 3}]}' }, {}, []],
    ['those of the tools of a delegate', { plan: delegate({ tools: ['b__x', 'echo'] }) }, {}, ['b']],
    ['all for a delegate with any', { plan: delegate({}) }, {}, ['a', 'b', 'hasty']],
    [
      'all for one whose tools are referred to',
      { plan: delegate({ tools: { $ref: 'n' } }) },
      {},
      ['a', 'b', 'hasty'],
    ],
    [
      'those of the agents for any other delegate',
      { plan: delegate({}) },
      { agent: { tools: ['a__x'] } },
      ['a'],
    ],
    ['those of the agent alone', {}, { mode: 'agent', agent: { tools: ['a__x'] } }, ['a']],
    ['all of an agent with any', {}, { mode: 'agent' }, ['a', 'b', 'hasty']],
    ['those of the agent of a session', { isSession: true }, { agent: { tools: ['a__x'] } }, ['a']],
    [
      'all where a planner may call what agents may not',
      {},
      { agent: { tools: ['a__x'] } },
      ['a', 'b', 'hasty'],
    ],
  ])('%s', (_, outset, more, asked) => {
    expect(reach(outset, more)).toEqual({ asked, later: [] });
  });
});

describe('a run that is taken up asks', () => {
  const listed = ['a__x', 'b__x', 'hasty__x', 'echo'];
  const drawn = (more: Partial<TaskInput> = {}) =>
    new FlightBuilder().start(settings(more)).catalogue(...listed);

  it('none that its log tells of, but those that may be late for their calls', () => {
    const before = drawn()
      .plan([{ id: 'x', tool: 'a__x' }], 'x')
      .build();
    expect(reach({ before })).toEqual({ asked: ['hasty'], later: ['a', 'b'] });
  });

  it('all where a plan is still to be drawn', () => {
    expect(reach({ before: drawn().build() })).toEqual({ asked: ['a', 'b', 'hasty'], later: [] });
  });

  it('all where it is reopened to draw a plan', () => {
    const before = drawn()
      .request('plan/1', 'planner')
      .answer('plan/1', { text: 'No.' })
      .add('plan.rejected', { key: 'plan/1', problems: [] })
      .finish('failed', 'no valid plan was drawn')
      .build();
    expect(reach({ before, resumed: { reopen: true } }).asked).toEqual(['a', 'b', 'hasty']);
  });

  it('all where an earlier version reopened it after its supplied plan was refused, and asked a planner', () => {
    const before = new FlightBuilder()
      .start(settings(), { plan: 'Do it.' })
      .catalogue(...listed)
      .add('plan.rejected', { problems: [] })
      .finish('failed', 'the supplied plan is invalid')
      .build();
    expect(reach({ before, resumed: { reopen: true } }).asked).toEqual(['a', 'b', 'hasty']);
  });

  it('those that its log does not tell of', () => {
    const before = new FlightBuilder()
      .start(settings())
      .catalogue('a__x', 'echo')
      .plan([{ id: 'x', tool: 'a__x' }], 'x');
    expect(reach({ before: before.build() })).toEqual({ asked: ['b', 'hasty'], later: ['a'] });
  });

  it('of a supplied plan none that it does not name, before it was accepted and after', () => {
    const supplied = () => new FlightBuilder().start(settings(), { plan: text('a__x') });
    expect(reach({ before: supplied().build() })).toEqual({ asked: ['a'], later: [] });
    const told = supplied().catalogue('a__x', 'echo');
    expect(reach({ before: told.build() })).toEqual({ asked: [], later: ['a'] });
    const accepted = told.plan([{ id: 'x', tool: 'a__x' }], 'x');
    expect(reach({ before: accepted.build() })).toEqual({ asked: [], later: ['a'] });
    const hasty = supplied()
      .catalogue(...listed)
      .plan([{ id: 'x', tool: 'a__x' }], 'x');
    expect(reach({ before: hasty.build() })).toEqual({ asked: [], later: ['a', 'b', 'hasty'] });
  });

  it('those of its grant in a session in which nothing was said yet', () => {
    const before = new FlightBuilder()
      .start(settings({ agent: { tools: ['a__x'] } }), { session: true })
      .catalogue(...listed);
    expect(reach({ before: before.build() }, { agent: { tools: ['a__x'] } })).toEqual({
      asked: ['a'],
      later: ['b', 'hasty'],
    });
  });
});

describe('what a log tells of a server', () => {
  it('is what it was told of last, and what it had before is not callable', () => {
    const before = new FlightBuilder()
      .start(settings())
      .catalogue('a__x', 'a__y', 'a__mine', 'b__x')
      .add('catalogue.published', {
        ...{ hash: '0'.repeat(64), withheld: ['a__z', 'echo'] },
        tools: [{ name: 'a__x', description: 'X.', input: true, costHint: 1, effect: 'read' }],
        quarantined: [
          { tool: 'a__y', reason: 'it changed' },
          { tool: 'a[3]', reason: 'no name' },
          { tool: 'b__x', reason: 'it changed' },
        ],
        unavailable: [{ server: 'b', reason: 'gone' }],
        changed: [{ tool: 'a__x', parts: ['description'] }],
      })
      .build();
    const logged = readLoggedServers(before, ['a', 'b', 'c'], isOwn);
    expect([...logged.keys()]).toEqual(['a', 'b']);
    expect(logged.get('a')).toMatchObject({
      tools: { callable: [{ name: 'a__x', description: 'X.' }], retired: [{ name: 'a__y' }] },
      withheld: ['a__z'],
      quarantined: [{ tool: 'a__y' }, { tool: 'a[3]' }],
      unavailable: [],
      changed: [{ tool: 'a__x' }],
    });
    expect(logged.get('b')).toMatchObject({
      tools: { callable: [], retired: [{ name: 'b__x' }] },
      quarantined: [{ tool: 'b__x' }],
      unavailable: [{ server: 'b' }],
    });
  });

  it('is nothing before its catalogue is there', () => {
    expect(readLoggedServers(new FlightBuilder().start(settings()).build(), ['a'], isOwn).size).toBe(0);
  });
});
