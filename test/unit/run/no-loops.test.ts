/* Decisions that once led back to themselves, or left a node without an end. */
import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../../src/flight/events.ts';
import { hasEnded } from '../../../src/run/node-state.ts';
import { given } from '../../../src/testing.ts';
import {
  answer,
  askingTool,
  done,
  echoTool,
  failed,
  node,
  only,
  plan,
  task,
  types,
} from '../../support/core.ts';

const TRANSIENT = { code: 'tool_transient', class: 'TRANSIENT', message: 'busy' } as const;
const MISSING = { code: 'missing_info', class: 'MISSING_INFO', message: 'unknown' } as const;
const MISUSE = { code: 'tool_misuse', class: 'TOOL_MISUSE', message: 'not like this' } as const;

function answered(key: string, text: string): EventPayload {
  return { type: 'model.answered', key, answer: answer(text) };
}

describe('a repair', () => {
  const seed = { tools: [echoTool()], task: task({ limits: { replans: 0 } }), plan: plan(node('a')) };

  it('that fails for good fails its node once', () => {
    given(seed)
      .when(failed('a', MISUSE), {
        type: 'model.failed',
        key: 'repair/a/1',
        failure: { code: 'model_unscripted', class: 'PERMANENT', message: 'no such role' },
      })
      .then((decided, state) => {
        expect(types(decided)).toEqual(['model.requested', 'node.failed', 'run.finished']);
        expect(state.finished).toMatchObject({ status: 'failed', failure: { class: 'TOOL_MISUSE' } });
      });
  });

  it('waits while its budget is held by another call', () => {
    const scenario = given({
      tools: [echoTool(), askingTool],
      task: task({ budget: { llmCalls: 2, finalReserve: 0 }, limits: { replans: 0 } }),
      plan: plan(
        node('w', { tool: 'write' }),
        node('v', { tool: 'write' }),
        node('a'),
        node('end', { deps: ['w', 'v', 'a'] }),
      ),
    });
    const ask = (id: string): EventPayload => ({
      type: 'ask.received',
      key: `${id}/1/1`,
      node: id,
      attempt: 1,
      role: 'writer',
      request: { prompt: 'p' },
    });
    scenario.when(ask('w'), ask('v'), failed('a', MISUSE)).then((decided, state) => {
      expect(only(decided, 'node.failed')).toEqual([]);
      expect(state.nodes.get('a')?.status).toBe('failing');
    });
  });
});

it('a foreach whose budget stops in the middle ends once', () => {
  const scenario = given({
    tools: [echoTool()],
    task: task({ concurrency: 1, budget: { wallSeconds: 1 } }),
    plan: plan(node('list'), node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } })),
  });
  scenario
    .when(done('list', [1, 2, 3]))
    .after(1000)
    .when(done('each[0]', 1));
  expect(scenario.state.finished?.status).toBe('budget');
  for (const each of scenario.state.order) expect(hasEnded(each)).toBe(true);
});

it('a retried call that an equal one made superfluous takes its result once', () => {
  const scenario = given({
    tools: [echoTool('get', { cache: true })],
    task: task({ limits: { backoffMs: 100 } }),
    plan: plan(
      node('a', { tool: 'get' }),
      node('b', { tool: 'get' }),
      node('end', { tool: 'get', args: { value: 1 }, deps: ['a', 'b'] }),
    ),
  });
  scenario.when(failed('a', TRANSIENT), done('b', 'found')).after(100).when({ type: 'timer.fired' });
  expect(types(scenario.decided)).toEqual(['node.reused', 'level.started', 'node.started']);
});

it('the items of a foreach share the results of equal calls', () => {
  const scenario = given({
    tools: [echoTool('get', { cache: true }), echoTool()],
    task: task({ concurrency: 1 }),
    plan: plan(
      node('list'),
      node('each', { tool: 'get', args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
    ),
  });
  scenario.when(done('list', [1, 1, 1]), done('each[0]', 'one'));
  expect(only(scenario.decided, 'node.reused')).toMatchObject([{ node: 'each[1]' }, { node: 'each[2]' }]);
  expect(scenario.state.nodes.get('each')?.value).toEqual(['one', 'one', 'one']);
});

it('a revision calls its tool again, whatever is cached', () => {
  const cached = { ...askingTool, spec: { ...askingTool.spec, cache: true } };
  const scenario = given({
    tools: [cached],
    task: task({ checks: [{ includes: 'Lima' }] }),
    plan: plan(node('w', { tool: 'write' })),
  });
  scenario.when(
    { type: 'ask.received', key: 'w/1/1', node: 'w', attempt: 1, role: 'writer', request: { prompt: 'p' } },
    answered('w/1/1', 'Rome'),
    done('w', 'Rome'),
  );
  expect(types(scenario.decided)).toEqual([
    'model.requested',
    'verdict.reached',
    'node.amended',
    'node.started',
  ]);
});

describe('every node ends in a final state', () => {
  it('where no plan replaces the one that failed', () => {
    const scenario = given({ tools: [echoTool()], task: task({ limits: { planRounds: 1 } }) });
    scenario.when(
      answered('plan/1', JSON.stringify(plan(node('f'), node('g', { deps: ['f'] })))),
      failed('f', MISSING),
      answered('plan/2', 'no plan today'),
    );
    expect(scenario.state.finished?.status).toBe('failed');
    expect(only(scenario.decided, 'node.skipped')).toMatchObject([{ node: 'g' }]);
  });

  it('where the run stops with its output done', () => {
    const scenario = given({
      tools: [echoTool()],
      task: task({ budget: { wallSeconds: 1 }, walk: 'eager', concurrency: 1 }),
      plan: {
        nodes: [node('out'), node('rest', { deps: ['out'] }), node('more', { deps: ['rest'] })],
        output: 'out',
      },
    });
    scenario.after(1000).when(done('out', 'x'));
    expect(scenario.state.finished?.status).toBe('unverified');
    for (const each of scenario.state.order) expect(hasEnded(each)).toBe(true);
  });
});

it('skips twenty thousand dependents of one failed node in linear time', () => {
  const nodes = [
    node('a'),
    ...Array.from({ length: 20_000 }, (_, index) => node(`n${index}`, { deps: ['a'] })),
  ];
  const scenario = given({
    tools: [echoTool()],
    task: task({ limits: { maxNodes: 30_000, replans: 0 } }),
    plan: plan(...nodes),
  });
  let looks = 0;
  const { blocked } = scenario.state;
  Object.defineProperty(blocked, 'at', {
    value(index: number) {
      looks++;
      return Array.prototype.at.call(this, index) as unknown;
    },
  });
  scenario.when(failed('a', MISSING));
  expect(only(scenario.decided, 'node.skipped')).toHaveLength(20_000);
  expect(looks).toBeLessThan(100_000);
});
