import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import type { Json } from '../../../src/kernel/json.ts';
import type { Effect } from '../../../src/run/effects.ts';
import { given } from '../../../src/testing.ts';
import { answer, done, echoTool, failed, node, only, plan, task, types } from '../../support/core.ts';

const tools = [echoTool(), echoTool('other')];
const MISSING = {
  code: 'missing_info',
  class: 'MISSING_INFO',
  message: 'raw text of a tool',
  details: { city: 'Atlantis' },
} as const;

function answered(key: string, text: string | Json): EventPayload {
  return {
    type: 'model.answered',
    key,
    answer: answer(typeof text === 'string' ? text : JSON.stringify(text)),
  };
}

function requestOf(effects: readonly Effect[]): Extract<Effect, { kind: 'callModel' }>['request'] {
  const call = effects.find((effect) => effect.kind === 'callModel');
  if (call?.kind !== 'callModel') throw new Error('no model was asked');
  return call.request;
}

describe('planning', () => {
  it('asks the planner with the goal, the inputs and the catalogue without withheld tools', () => {
    const scenario = given({ tools, task: task({ inputs: { city: 'Lima' } }), withheld: ['other'] });
    const request = requestOf(scenario.effects);
    expect(request.role).toBe('planner');
    expect(readSection(request, 'goal')).toBe('Reach the goal.');
    expect(readSection(request, 'inputs')).toEqual({ city: 'Lima' });
    expect(readSection(request, 'catalogue')).toMatchObject([{ name: 'echo' }]);
  });

  it('sends a refused plan back with every problem, a bounded number of times', () => {
    const bad = plan(node('a', { tool: 'eco' }), node('b', { deps: ['ghost'] }));
    const scenario = given({ tools, task: task({ limits: { planRounds: 2 } }) });
    scenario.when(answered('plan/1', bad)).then((decided) => {
      expect(types(decided)).toEqual(['plan.rejected', 'model.requested']);
      const codes = only(decided, 'plan.rejected')[0]?.problems.map((problem) => problem.code);
      expect(codes).toEqual(expect.arrayContaining(['unknown_tool', 'missing_dependency']));
    });
    expect(readSection(requestOf(scenario.effects), 'problems')).toMatchObject([
      { code: 'unknown_tool' },
      { code: 'missing_dependency' },
    ]);
    scenario.when(answered('plan/2', 'no plan today')).then((decided, state) => {
      expect(types(decided)).toEqual(['plan.rejected', 'run.finished']);
      expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'plan_unobtainable' } });
    });
  });

  it('refuses an invalid supplied plan and never asks for another', () => {
    given({ tools, task: task(), plan: plan(node('a', { tool: 'eco' })) }).then((decided, state) => {
      expect(types(decided)).toEqual(['plan.rejected', 'run.finished']);
      expect(state.finished?.failure?.code).toBe('plan_invalid');
    });
  });

  it('retries a planner that is overloaded, and ends with its failure when that does not help', () => {
    const overloaded = { code: 'model_overloaded', class: 'TRANSIENT', message: '529' } as const;
    given({ tools, task: task({ limits: { attempts: 2, backoffMs: 100 } }) })
      .when({ type: 'model.failed', key: 'plan/1', failure: overloaded, draw: 0.5 })
      .then((decided) => {
        expect(decided).toEqual([{ type: 'retry.scheduled', key: 'plan/1', delayMs: 50 }]);
      })
      .after(50)
      .when({ type: 'timer.fired' })
      .then((decided) => {
        expect(only(decided, 'model.requested')).toMatchObject([{ key: 'plan/1#2', role: 'planner' }]);
      })
      .when({ type: 'model.failed', key: 'plan/1#2', failure: overloaded, draw: 0.5 })
      .then((_, state) => {
        expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'model_overloaded' } });
      });
  });

  it('plans around a failed node with typed failures and the ids of done nodes, never with the text of a tool', () => {
    const first = plan(node('a'), node('b'), node('end', { args: { value: { $ref: 'a' } }, deps: ['b'] }));
    const scenario = given({ tools, task: task() }).when(
      answered('plan/1', first),
      done('a', 'kept'),
      failed('b', MISSING),
    );
    scenario.then((decided) => {
      expect(types(decided)).toEqual(
        expect.arrayContaining(['node.failed', 'replan.started', 'model.requested']),
      );
    });
    const request = requestOf(scenario.effects);
    expect(request.role).toBe('replanner');
    expect(readSection(request, 'done')).toEqual([{ id: 'a', tool: 'echo' }]);
    expect(readSection(request, 'failures')).toEqual([
      {
        node: 'b',
        tool: 'echo',
        args: {},
        code: 'missing_info',
        class: 'MISSING_INFO',
        details: { city: 'Atlantis' },
      },
    ]);
    expect(JSON.stringify(request)).not.toContain('raw text of a tool');
    scenario
      .when(answered('plan/2', plan(node('end2', { args: { value: { $ref: 'a' } } }))))
      .then((decided, state) => {
        expect(only(decided, 'plan.accepted')).toMatchObject([
          { version: 2, kept: ['a'], superseded: ['b', 'end'] },
        ]);
        expect(only(decided, 'node.started')).toMatchObject([{ node: 'end2' }]);
        expect(state.nodes.get('a')).toMatchObject({ status: 'done', value: 'kept' });
      });
  });

  it('refuses a replan that is equal to the plan that failed', () => {
    const first = plan(node('a'));
    given({ tools, task: task() })
      .when(answered('plan/1', first), failed('a', MISSING), answered('plan/2', first))
      .then((decided) => {
        expect(only(decided, 'plan.rejected').at(-1)?.problems).toMatchObject([{ code: 'unchanged_plan' }]);
      });
  });

  it('numbers the attempts of an id over replans, so that no key is used twice', () => {
    const scenario = given({ tools, task: task() }).when(
      answered('plan/1', plan(node('a'))),
      failed('a', MISSING),
      answered('plan/2', plan(node('a', { tool: 'other' }))),
    );
    expect(only(scenario.decided, 'node.started').at(-1)).toMatchObject({ node: 'a', attempt: 2 });
  });

  it('ends when the replans allowed are used up', () => {
    given({ tools, task: task({ limits: { replans: 1 } }) })
      .when(answered('plan/1', plan(node('a'))), failed('a', MISSING))
      .when(answered('plan/2', plan(node('b', { tool: 'other' }))), failed('b', MISSING))
      .then((_, state) => {
        expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'missing_info' } });
      });
  });
});

describe('a call that breaks the schema of its tool', () => {
  const strict = echoTool('strict', {
    input: {
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
      additionalProperties: false,
    },
  });
  const seed = {
    tools: [echoTool(), strict],
    task: task({ limits: { replans: 0 } }),
    plan: plan(node('a'), node('b', { tool: 'strict', args: { n: { $ref: 'a' } } })),
  };

  it('is repaired once by a model from the structured error, and the change is logged', () => {
    const scenario = given(seed).when(done('a', 'seven'));
    const request = requestOf(scenario.effects);
    expect(request.role).toBe('repairer');
    expect(readSection(request, 'args')).toEqual({ n: 'seven' });
    expect(readSection(request, 'issues')).toMatchObject([{ pointer: '/n' }]);
    scenario.when(answered('repair/b/1', '{"n": 7}')).then((decided) => {
      expect(types(decided)).toEqual(['node.amended', 'node.started']);
      expect(only(decided, 'node.amended')).toMatchObject([{ node: 'b', by: 'repair', args: { n: 7 } }]);
    });
    expect(scenario.effects).toMatchObject([{ kind: 'callTool', args: { n: 7 } }]);
  });

  it('fails where the repair does not help', () => {
    given(seed)
      .when(done('a', 'seven'), answered('repair/b/1', '{"n": "7"}'))
      .then((decided, state) => {
        expect(types(decided)).toEqual(expect.arrayContaining(['node.failed', 'run.finished']));
        expect(state.finished).toMatchObject({ status: 'failed', failure: { class: 'TOOL_MISUSE' } });
      });
  });

  it('is never repaired where the tool is irreversible', () => {
    const send = echoTool('send', {
      effect: 'irreversible',
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    });
    given({
      ...seed,
      tools: [echoTool(), send],
      task: task({ limits: { replans: 0 }, policy: { approve: 'none' } }),
      plan: plan(node('a'), node('b', { tool: 'send', args: { n: { $ref: 'a' } } })),
    })
      .when(done('a', 'seven'))
      .then((decided) => {
        expect(types(decided)).toEqual(['level.started', 'node.failed', 'run.finished']);
      });
  });
});
