import { describe, expect, it } from 'vitest';
import { given } from '../../../src/testing.ts';
import { askingTool, done, echoTool, failed, node, only, plan, task, types } from '../../support/core.ts';

const tools = [echoTool(), askingTool];
const TRANSIENT = { code: 'tool_transient', class: 'TRANSIENT', message: 'busy' } as const;
const MISSING = { code: 'missing_info', class: 'MISSING_INFO', message: 'unknown' } as const;

function started(events: Parameters<typeof only>[0]): string[] {
  return only(events, 'node.started').map((event) => event.node);
}

describe('the walk', () => {
  it('starts a level in plan order, as far as concurrency goes', () => {
    given({
      tools,
      task: task({ concurrency: 2 }),
      plan: plan(node('a'), node('b'), node('c', { deps: ['a'] }), node('d', { deps: ['b', 'c'] })),
    })
      .then((decided) => {
        expect(types(decided)).toEqual(['plan.accepted', 'level.started', 'node.started', 'node.started']);
        expect(started(decided)).toEqual(['a', 'b']);
      })
      .when(done('a', 1))
      .then((decided) => {
        expect(decided).toEqual([]);
      })
      .when(done('b', 2))
      .then((decided) => {
        expect(only(decided, 'level.started')).toEqual([{ type: 'level.started', level: 1, nodes: 1 }]);
        expect(started(decided)).toEqual(['c']);
      });
  });

  it('starts a node of an eager walk as soon as its own dependencies are settled, the longest remaining path first', () => {
    given({
      tools,
      task: task({ walk: 'eager', concurrency: 1 }),
      plan: plan(
        node('short'),
        node('long'),
        node('next', { deps: ['long'] }),
        node('then', { deps: ['next'] }),
        node('end', { deps: ['short', 'then'] }),
      ),
    })
      .then((decided) => {
        expect(started(decided)).toEqual(['long']);
      })
      .when(done('long', 1))
      .then((decided) => {
        expect(started(decided)).toEqual(['next']);
      });
  });

  it('hands a result on with its type, and hashes arguments by the digest of what they refer to', () => {
    const scenario = given({
      tools,
      task: task(),
      plan: plan(node('a'), node('b', { args: { value: { $ref: 'a', path: '/n' } } })),
    });
    scenario.when(done('a', { n: [1, '$x'] }));
    expect(scenario.effects).toMatchObject([{ kind: 'callTool', node: 'b', args: { value: [1, '$x'] } }]);
  });

  it('fails a node whose pointer leads nowhere as MISSING_INFO, without a call', () => {
    given({
      tools,
      task: task({ limits: { replans: 0 } }),
      plan: plan(node('a'), node('b', { args: { value: { $ref: 'a', path: '/n' } } })),
    })
      .when(done('a', {}))
      .then((decided, state) => {
        expect(started(decided)).toEqual([]);
        expect(only(decided, 'node.failed')[0]?.failure).toMatchObject({ class: 'MISSING_INFO' });
        expect(only(decided, 'node.failed')[0]?.failure.message).toContain('/n');
        expect(state.finished?.status).toBe('failed');
      });
  });

  it('runs a foreach node once per item, and joins the results in order', () => {
    given({
      tools,
      task: task({ concurrency: 2 }),
      plan: plan(
        node('list'),
        node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
        node('end', { args: { value: { $ref: 'each' } } }),
      ),
    })
      .when(done('list', ['x', 'y', 'z']))
      .then((decided) => {
        expect(only(decided, 'node.expanded')).toEqual([{ type: 'node.expanded', node: 'each', items: 3 }]);
        expect(started(decided)).toEqual(['each[0]', 'each[1]']);
      })
      .when(done('each[1]', 'Y'), done('each[0]', 'X'), done('each[2]', 'Z'))
      .then((decided, state) => {
        expect(state.nodes.get('each')?.value).toEqual(['X', 'Y', 'Z']);
        expect(started(decided)).toEqual(['each[2]', 'end']);
      });
  });

  it('gives an empty list for a foreach over an empty list', () => {
    given({
      tools,
      task: task(),
      plan: plan(node('list'), node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } })),
    })
      .when(done('list', []))
      .then((_, state) => {
        expect(state.nodes.get('each')?.value).toEqual([]);
        expect(state.finished?.status).toBe('unverified');
      });
  });

  it('fails a foreach node with a failed item, but gives null for an optional one', () => {
    const planned = (optional: boolean) =>
      plan(
        node('list'),
        node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' }, optional }),
        node('end', { args: { value: { $ref: 'each' } } }),
      );
    const seed = (optional: boolean) =>
      given({ tools, task: task({ limits: { replans: 0 } }), plan: planned(optional) }).when(
        done('list', [1, 2]),
        failed('each[0]', MISSING),
        done('each[1]', 'two'),
      );
    seed(false).then((_, state) => {
      expect(state.nodes.get('each')?.status).toBe('failed');
      expect(state.nodes.get('each')?.failure?.message).toContain('each[0]');
      expect(state.nodes.get('end')?.status).toBe('skipped');
    });
    seed(true).then((decided, state) => {
      expect(state.nodes.get('each')?.value).toEqual([null, 'two']);
      expect(started(decided)).toContain('end');
    });
  });

  it('lets the dependents of a failed optional node run with null', () => {
    given({
      tools,
      task: task(),
      plan: plan(node('a', { optional: true }), node('b', { args: { value: { $ref: 'a' } } })),
    })
      .when(failed('a', MISSING))
      .then((_, state) => {
        expect(state.nodes.get('a')?.status).toBe('failed');
        expect(state.nodes.get('b')?.status).toBe('running');
      });
  });

  it('skips what depends on a failed node, naming the dependency, and never ends as a success', () => {
    given({
      tools,
      task: task(),
      plan: plan(node('a'), node('b', { deps: ['a'] }), node('c', { deps: ['b'] })),
    })
      .when(failed('a', MISSING))
      .then((decided, state) => {
        expect(only(decided, 'node.skipped')).toEqual([
          { type: 'node.skipped', node: 'b', reason: 'dependency', dependency: 'a' },
          { type: 'node.skipped', node: 'c', reason: 'dependency', dependency: 'b' },
        ]);
        expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'missing_info' } });
      });
  });

  it('retries a transient failure after full jitter, doubling, and gives up after the attempts allowed', () => {
    given({
      tools,
      task: task({ limits: { attempts: 3, backoffMs: 100, replans: 0 } }),
      plan: plan(node('a')),
    })
      .when(failed('a', TRANSIENT))
      .then((decided) => {
        expect(decided).toEqual([{ type: 'retry.scheduled', key: 'a/1', delayMs: 50 }]);
      })
      .after(49)
      .when({ type: 'timer.fired' })
      .then((decided) => {
        expect(decided).toEqual([]);
      })
      .after(1)
      .when({ type: 'timer.fired' })
      .then((decided) => {
        expect(only(decided, 'node.started')).toMatchObject([{ node: 'a', attempt: 2 }]);
      })
      .when(failed('a', TRANSIENT, 2))
      .then((decided) => {
        expect(decided).toEqual([{ type: 'retry.scheduled', key: 'a/2', delayMs: 100 }]);
      })
      .after(100)
      .when({ type: 'timer.fired' }, failed('a', TRANSIENT, 3))
      .then((decided) => {
        expect(types(decided)).toEqual(['node.started', 'node.failed', 'run.finished']);
      });
  });

  it('honours Retry-After up to the cap', () => {
    const seed = { tools, task: task({ limits: { backoffCapMs: 5000 } }), plan: plan(node('a')) };
    for (const [retryAfterMs, delayMs] of [
      [1234, 1234],
      [60_000, 5000],
    ] as const) {
      given(seed)
        .when(failed('a', { ...TRANSIENT, retryAfterMs }))
        .then((decided) => {
          expect(decided).toEqual([{ type: 'retry.scheduled', key: 'a/1', delayMs }]);
        });
    }
  });

  it('never retries a call that is irreversible, nor a write that is not idempotent', () => {
    for (const spec of [{ effect: 'irreversible' }, { effect: 'write' }] as const) {
      given({
        tools: [echoTool('act', spec)],
        task: task({ policy: { approve: 'none' } }),
        plan: plan(node('a', { tool: 'act' })),
      })
        .when(failed('a', TRANSIENT))
        .then((decided) => {
          expect(types(decided)).toEqual(['node.failed', 'run.finished']);
        });
    }
    given({
      tools: [echoTool('put', { effect: 'write', idempotent: true })],
      task: task(),
      plan: plan(node('a', { tool: 'put' })),
    })
      .when(failed('a', TRANSIENT))
      .then((decided) => {
        expect(types(decided)).toEqual(['retry.scheduled']);
      });
  });

  it('takes the result of an equal call where a tool may be cached', () => {
    const cached = echoTool('look', { cache: true });
    given({
      tools: [cached],
      task: task(),
      plan: plan(
        node('a', { tool: 'look', args: { value: 1 } }),
        node('b', { tool: 'look', args: { value: 1 }, deps: ['a'] }),
        node('c', { tool: 'look', args: { value: 2 }, deps: ['b'] }),
      ),
    })
      .when(done('a', 'one'))
      .then((decided, state) => {
        expect(only(decided, 'node.reused')).toMatchObject([{ node: 'b', from: 'a' }]);
        expect(state.nodes.get('b')?.value).toBe('one');
        expect(started(decided)).toEqual(['c']);
      });
  });

  it('ends at a POLICY failure without a replan', () => {
    given({ tools, task: task() })
      .when({
        type: 'model.answered',
        key: 'plan/1',
        answer: {
          text: JSON.stringify(plan(node('a'))),
          stop: 'stop',
          model: 'm',
          usage: { inputTokens: 1, outputTokens: 1 },
        },
      })
      .when(failed('a', { code: 'policy_denied', class: 'POLICY', message: 'not this one' }))
      .then((decided, state) => {
        expect(types(decided)).toEqual(['node.refused', 'run.finished']);
        expect(state.finished).toMatchObject({ status: 'failed' });
      });
  });

  it('keeps ids such as __proto__ apart from everything', () => {
    given({
      tools,
      task: task(),
      plan: plan(
        node('__proto__'),
        node('plan'),
        node('constructor', { args: { value: { $ref: '__proto__' } }, deps: ['plan'] }),
      ),
    })
      .when(done('__proto__', 'p'), done('plan', 'q'))
      .then((_, state) => {
        expect(state.nodes.get('constructor')?.status).toBe('running');
        expect(Object.hasOwn(Object.prototype, 'value')).toBe(false);
      });
  });
});
