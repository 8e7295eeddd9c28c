import { describe, expect, it } from 'vitest';
import type { Policy } from '../../../src/contracts/policy.ts';
import { hashJson } from '../../../src/kernel/hash.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { isAnsweredBy } from '../../../src/run/decide-approval.ts';
import { done, node, only, plan, types } from '../../support/core.ts';
import { questions, run } from '../../support/guarded-run.ts';

describe('taint', () => {
  const through: readonly (readonly [how: string, ...nodes: Json[]])[] = [
    ['a reference', node('last', { tool: 'file', args: { to: { $ref: 'page' } } })],
    ['a part of a result', node('last', { tool: 'file', args: { to: { $ref: 'page', path: '/a' } } })],
    ['a text', node('last', { tool: 'file', args: { to: { $text: ['x/', { $ref: 'page' }] } } })],
    ['a list', node('last', { tool: 'file', args: { to: ['a', { $ref: 'page' }] } })],
    [
      'another node',
      node('between', { args: { value: { $ref: 'page' } } }),
      node('last', { tool: 'file', args: { to: { $ref: 'between' } } }),
    ],
    [
      'a node that only waited',
      node('between', { deps: ['page'] }),
      node('last', { tool: 'file', args: { to: { $ref: 'between' } } }),
    ],
    ['an address', node('last', { tool: 'page', args: { to: { $ref: 'page' } } })],
    ['a command', node('last', { tool: 'shell', args: { to: { $ref: 'page' } } })],
    ['a recipient', node('last', { tool: 'send', args: { to: { $ref: 'page' } } })],
  ];

  it.each(through)('follows %s, and is asked about with where it came from', (_how, ...nodes) => {
    const scenario = run(plan(node('page', { tool: 'page' }), ...nodes), { approve: 'none' });
    scenario.when(done('page', { a: 'x' }));
    if (nodes.length > 1) scenario.when(done('between', 'x'));
    expect(questions(scenario)).toMatchObject([
      { node: 'last', question: 'consent', taint: [{ argument: 'to', from: ['page'] }] },
    ]);
    expect(only(scenario.events, 'node.started').map((event) => event.node)).not.toContain('last');
    expect(scenario.events.at(-1)).toMatchObject({ type: 'run.finished', status: 'waiting' });
  });

  it('follows the items of a list', () => {
    const scenario = run(
      plan(
        node('page', { tool: 'page' }),
        node('last', { tool: 'file', args: { to: { $item: '' } }, foreach: { $ref: 'page' } }),
      ),
    ).when(done('page', ['a', 'b']));
    expect(questions(scenario).map((event) => event.node)).toEqual(['last[0]', 'last[1]']);
    expect(questions(scenario)[0]).toMatchObject({ taint: [{ argument: 'to', from: ['page'] }] });
  });

  it('looks at every argument of what is irreversible', () => {
    const nodes = [
      node('page', { tool: 'page' }),
      node('last', { tool: 'send', args: { to: 'me', text: { $ref: 'page' } } }),
    ];
    const scenario = run(plan(...nodes), { approve: 'none' }).when(done('page', 'x'));
    expect(questions(scenario)).toMatchObject([{ taint: [{ argument: 'text', from: ['page'] }] }]);
  });

  it.each([
    ['text that names nothing', node('last', { tool: 'file', args: { to: 'a.md', text: { $ref: 'page' } } })],
    ['what did not come from there', node('last', { tool: 'file', args: { to: { $ref: 'clean' } } })],
  ])('lets be %s', (_what, last) => {
    const scenario = run(plan(node('page', { tool: 'page' }), node('clean'), last));
    scenario.when(done('page', 'x'), done('clean', 'y'));
    expect(questions(scenario)).toEqual([]);
    expect(only(scenario.events, 'node.started').map((event) => event.node)).toContain('last');
  });

  it('is refused where policy denies it, and nothing is planned around that', () => {
    const nodes = [
      node('page', { tool: 'page' }),
      node('last', { tool: 'file', args: { to: { $ref: 'page' } } }),
    ];
    const scenario = run(plan(...nodes), { tainted: 'deny' }).when(done('page', 'x'));
    expect(only(scenario.events, 'node.refused')).toMatchObject([{ node: 'last', by: 'policy' }]);
    expect(scenario.events.at(-1)).toMatchObject({ status: 'failed', failure: { code: 'policy_denied' } });
  });

  it('is let through where policy allows it, and in runs from before there were guards', () => {
    const nodes = [
      node('page', { tool: 'page' }),
      node('last', { tool: 'file', args: { to: { $ref: 'page' } } }),
    ];
    for (const tainted of ['allow', undefined]) {
      const scenario = run(plan(...nodes), { tainted } as Partial<Policy>).when(done('page', 'x'));
      expect(questions(scenario)).toEqual([]);
    }
  });

  it('leaves what a person wrote', () => {
    const nodes = [
      node('page', { tool: 'page' }),
      node('last', { tool: 'file', args: { to: { $ref: 'page' } } }),
    ];
    const scenario = run(plan(...nodes)).when(done('page', 'x'));
    const args = { to: 'mine.md' };
    scenario.when(
      { type: 'node.amended', node: 'last', by: 'person', args, reasons: [], atRest: true },
      {
        ...{ type: 'approval.decided', node: 'last', argsHash: hashJson(args), decision: 'approved' },
        ...{ by: 'me', atRest: true },
      },
      { type: 'run.resumed', rules: 1 },
    );
    expect(questions(scenario)).toHaveLength(1);
    expect(scenario.effects).toMatchObject([{ kind: 'callTool', node: 'last', args }]);
  });
});

describe('commands', () => {
  it('are asked about where they are not known to be harmless, whatever else is approved', () => {
    const scenario = run(plan(node('last', { tool: 'shell', args: { to: 'rm -rf x' } })), {
      approve: 'none',
    });
    expect(questions(scenario)).toMatchObject([
      { dangers: [{ argument: 'to', reason: 'rm deletes or overwrites' }] },
    ]);
  });

  it('are run where they are, or trusted', () => {
    for (const command of ['ls', 'npm test']) {
      const commands = { deny: [], trusted: ['npm test'] };
      const scenario = run(plan(node('last', { tool: 'shell', args: { to: command } })), { commands });
      expect(types(scenario.events)).toContain('node.started');
    }
  });

  it('that come from a reference are looked at before the call', () => {
    const nodes = [node('first'), node('last', { tool: 'shell', args: { to: { $ref: 'first' } } })];
    const scenario = run(plan(...nodes)).when(done('first', 'ls; rm x'));
    expect(questions(scenario)).toMatchObject([{ node: 'last', dangers: [{ argument: 'to' }] }]);
  });
});

describe('a standing consent', () => {
  const asked = { question: 'consent', plan: '', args: {}, argsHash: '', tool: 'shell', node: 'a' } as const;

  it.each([
    ['write', { ...asked }, 'write', true],
    ['write', { ...asked }, 'irreversible', false],
    ['write', { ...asked, dangers: [{ argument: 'to', reason: 'x' }] }, 'write', false],
    ['write', { ...asked, taint: [{ argument: 'to', from: ['a'] }] }, 'read', false],
    ['write', { ...asked, question: 'plan' as const }, 'write', false],
    ['consent', { ...asked, dangers: [{ argument: 'to', reason: 'x' }] }, 'irreversible', true],
    ['consent', { ...asked, question: 'in_doubt' as const }, 'write', false],
  ] as const)('for %s answers %o of a tool of effect %s: %s', (consent, question, effect, expected) => {
    expect(isAnsweredBy(consent, question, effect)).toBe(expected);
  });
});

describe('arguments that policy refuses', () => {
  const policy: Partial<Policy> = {
    paths: { allow: ['docs'], deny: ['*.env'] },
    hosts: { allow: ['*.example.com'], deny: [] },
    commands: { deny: ['rm **'], trusted: [] },
  };

  it.each([
    ['a path', node('last', { tool: 'file', args: { to: 'src/a.md' } })],
    ['a path above', node('last', { tool: 'file', args: { to: 'docs/../a.md' } })],
    ['a denied name', node('last', { tool: 'file', args: { to: 'docs/a.ENV' } })],
    ['a host', node('last', { tool: 'page', args: { to: 'https://evil.example/' } })],
    ['a command', node('last', { tool: 'shell', args: { to: 'ls; /bin/rm x' } })],
  ])('keep %s out of a plan', (_what, last) => {
    const scenario = run(plan(last), policy);
    expect(only(scenario.events, 'plan.rejected')).toMatchObject([
      { problems: [{ code: 'forbidden_args', node: 'last', pointer: '/nodes/0/args/to' }] },
    ]);
    expect(types(scenario.events)).not.toContain('node.started');
  });

  it.each([
    ['file', 'src/a.md'],
    ['page', 'http://evil.example'],
    ['shell', 'rm x'],
  ])('refuse a call of %s whose argument a reference gave', (tool, value) => {
    const nodes = [node('first'), node('last', { tool, args: { to: { $ref: 'first' } } })];
    const scenario = run(plan(...nodes), policy).when(done('first', value));
    expect(only(scenario.events, 'node.refused')).toMatchObject([{ node: 'last', by: 'policy' }]);
    expect(only(scenario.events, 'node.started').map((event) => event.node)).toEqual(['first']);
    expect(scenario.events.at(-1)).toMatchObject({ status: 'failed', failure: { class: 'POLICY' } });
  });
});
