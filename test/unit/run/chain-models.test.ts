import { describe, expect, it } from 'vitest';
import { given } from '../../../src/testing.ts';
import { askingTool, done, echoTool, failed, node, only, plan, task, types } from '../../support/core.ts';
import {
  asking,
  BUSY,
  calls,
  CHAIN,
  failing,
  NO_QUOTA,
  planned,
  WITH_COMMAND,
  writing,
  WRONG_KEY,
} from '../../support/provider-chain.ts';

describe('the models along a chain', () => {
  const tools = [echoTool(), askingTool];
  const models = {
    worker: 'large',
    economy: 'small',
    writer: [
      { provider: 'third', model: 'pen' },
      { provider: 'first', model: 'quill' },
    ],
  };

  it('are those of the role where it has a chain of its own', () => {
    const scenario = writing({ models }).when(asking('w'), failing('w/1/1', NO_QUOTA));
    expect(calls(scenario)).toEqual([
      { key: 'w/1/1', at: 'third#0', model: 'pen' },
      { key: 'w/1/1#2', at: 'first#1', model: 'quill' },
    ]);
    scenario.when(failing('w/1/1#2', NO_QUOTA)).then((decided) => {
      // Never the task's own chain: its second provider has not been asked.
      expect(types(decided)).toEqual(['ask.failed']);
    });
  });

  it('are those that each provider names for the role', () => {
    const provider = [
      { name: 'first', model: 'one' },
      { name: 'second', model: 'two', models: { planner: 'drawer' } },
    ];
    const scenario = planned(provider, { models: { worker: 'large', planner: 'architect' } });
    scenario.when(failing('plan/1', NO_QUOTA));
    expect(calls(scenario).map(({ model }) => model)).toEqual(['architect', 'drawer']);
  });

  it('are the economy models under pressure, each provider with its own', () => {
    const provider = [
      { name: 'first', model: 'one' },
      { name: 'second', model: 'two', models: { economy: 'tiny' } },
      { name: 'third', model: 'three' },
    ];
    const scenario = given({
      tools,
      task: task({
        provider,
        models: { worker: 'large', economy: 'small' },
        budget: { toolCalls: 4, economyAt: 0.25, minimalAt: 0.9 },
      }),
      plan: plan(node('a'), node('w', { tool: 'write', deps: ['a'] })),
    });
    scenario.when(done('a', 'x'), asking('w'), failing('w/1/1', NO_QUOTA), failing('w/1/1#2', NO_QUOTA));
    expect(only(scenario.events, 'pressure.changed')).toMatchObject([{ mode: 'economy' }]);
    expect(calls(scenario).map(({ at, model }) => `${at} ${model}`)).toEqual([
      'first#0 small',
      'second#1 tiny',
      'third#2 three',
    ]);
  });
});

describe('the write-up of a stopped run', () => {
  it.each([BUSY, NO_QUOTA, WRONG_KEY])(
    'is asked for once: $code is neither retried nor sent on',
    (failure) => {
      const scenario = given({
        tools: [echoTool()],
        task: task({ provider: [WITH_COMMAND, CHAIN[1]], budget: { toolCalls: 2 } }),
        plan: plan(node('a'), node('b', { deps: ['a'] })),
      });
      const late = { code: 'timeout', class: 'TRANSIENT', message: 'late' } as const;
      scenario.when(done('a', 'kept'), failed('b', late)).after(60_000).when({ type: 'timer.fired' });
      expect(calls(scenario)).toEqual([{ key: 'final/1', at: 'first#0', model: 'one' }]);
      scenario.when(failing('final/1', failure)).then((decided, state) => {
        expect(types(decided)).toEqual(['run.finished']);
        expect(state.finished).toMatchObject({ status: 'budget' });
        expect(state.finished?.partial).toContain('kept');
      });
    },
  );
});

describe('the judge', () => {
  it('that fails at every provider is indeterminate, and costs no replan', () => {
    const scenario = given({
      tools: [echoTool()],
      task: {
        provider: [...CHAIN],
        limits: { attempts: 1 },
        verify: { judge: 'on', checks: [{ minLength: 1 }] },
      },
      plan: plan(node('a')),
    }).when(done('a', 'report'), failing('judge/1', BUSY), failing('judge/1#2', BUSY));
    expect(calls(scenario).map(({ at }) => at)).toEqual(['first#0', 'second#1']);
    expect(only(scenario.events, 'verdict.reached')).toMatchObject([
      { verdict: { outcome: 'indeterminate' } },
    ]);
    expect(types(scenario.events)).not.toContain('replan.started');
    expect(scenario.state.finished?.status).toBe('indeterminate');
  });
});
