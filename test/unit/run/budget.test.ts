import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import { given, type Scenario } from '../../../src/testing.ts';
import { answer, askingTool, done, echoTool, node, only, plan, task, types } from '../../support/core.ts';

const tools = [echoTool(), askingTool];

function requestOf(scenario: Scenario): ModelRequest | undefined {
  return scenario.effects.find((effect) => effect.kind === 'callModel')?.request;
}

function ask(id: string, ordinal = 1): EventPayload {
  return {
    type: 'ask.received',
    key: `${id}/1/${ordinal}`,
    node: id,
    attempt: 1,
    role: 'writer',
    request: { prompt: 'p' },
  };
}

/** A run in which `calls` of 100 tool calls are settled when its output is judged. */
function judgedAfter(calls: number, settings: { optional?: boolean } = {}): Scenario {
  const items = Array.from({ length: calls - 2 }, (_, index) => `item ${index} ${'x'.repeat(200)}`);
  const scenario = given({
    tools,
    task: {
      concurrency: 100,
      budget: { toolCalls: 100 },
      limits: { foreachItems: calls - 2 },
      models: { critic: 'large', economy: 'small' },
      memory: { contextChars: 4000 },
      verify: { judge: 'on', checks: [{ minLength: 1 }] },
    },
    plan: plan(
      node('list'),
      node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
      ...(settings.optional === true ? [node('extra', { optional: true, deps: ['each'] })] : []),
      node('end', {
        args: { value: { $ref: 'each' } },
        deps: settings.optional === true ? ['each', 'extra'] : ['each'],
      }),
    ),
  });
  scenario.when(done('list', items), ...items.map((item, index) => done(`each[${index}]`, item)));
  return scenario;
}

describe('pressure decides the model and the context', () => {
  const sizeAt = (calls: number): { model: string | undefined; chars: number } => {
    const scenario = judgedAfter(calls).when(done('end', 'report'));
    const request = requestOf(scenario);
    return {
      model: request?.model,
      chars: request === undefined ? 0 : JSON.stringify(readSection(request, 'results')).length,
    };
  };

  it('is full at 0.69', () => {
    const { model, chars } = sizeAt(69);
    expect(model).toBe('large');
    expect(chars).toBeGreaterThan(3000);
    expect(chars).toBeLessThanOrEqual(4000);
  });

  it.each([70, 89])('is economy at 0.%d', (calls) => {
    const { model, chars } = sizeAt(calls);
    expect(model).toBe('small');
    expect(chars).toBeGreaterThan(1000);
    expect(chars).toBeLessThanOrEqual(2000);
  });

  it.each([90, 99, 100])('asks no judge at %d of 100 calls, and says that only checks ran', (calls) => {
    const scenario = judgedAfter(calls).when(done('end', 'report'));
    expect(requestOf(scenario)).toBeUndefined();
    expect(scenario.state.verdict).toMatchObject({ outcome: 'pass', tier: 'checks' });
    expect(scenario.state.finished).toMatchObject({ status: 'verified', reason: 'checks passed' });
  });

  it('skips optional nodes from 0.7 on, and says so', () => {
    expect(only(judgedAfter(69, { optional: true }).decided, 'node.started').at(-1)).toMatchObject({
      node: 'extra',
    });
    const pressed = judgedAfter(72, { optional: true });
    expect(only(pressed.decided, 'pressure.changed')).toMatchObject([
      { mode: 'economy', dimension: 'toolCalls', pressure: 0.71 },
    ]);
    expect(only(pressed.decided, 'node.skipped')).toEqual([
      { type: 'node.skipped', node: 'extra', reason: 'pressure' },
    ]);
    expect(only(pressed.decided, 'node.started').at(-1)).toMatchObject({ node: 'end' });
  });

  it('lets thresholds be set', () => {
    const scenario = given({
      tools,
      task: {
        budget: { toolCalls: 4, economyAt: 0.25, minimalAt: 0.5 },
        models: { critic: 'large', economy: 'small' },
      },
      plan: plan(node('end')),
    }).when(done('end', 'x'));
    expect(requestOf(scenario)?.model).toBe('small');
  });
});

describe('the budget', () => {
  it('stops a run with toolCalls: 0 before anything is called', () => {
    given({ tools, task: { budget: { toolCalls: 0 } } }).then((decided, state) => {
      expect(only(decided, 'model.requested')).toEqual([]);
      expect(state.finished).toMatchObject({ status: 'budget' });
    });
  });

  it('refuses a plan that cannot fit before its first call', () => {
    given({
      tools,
      task: task({ budget: { toolCalls: 2 } }),
      plan: plan(node('a'), node('b'), node('c', { deps: ['a', 'b'] })),
    }).then((decided) => {
      expect(only(decided, 'plan.rejected')[0]?.problems).toMatchObject([{ code: 'over_budget' }]);
    });
  });

  it('refuses the call that does not fit, skips the rest, and writes up what was found', () => {
    const scenario = given({
      tools,
      task: task({ budget: { toolCalls: 2 }, limits: { foreachItems: 1 } }),
      plan: plan(node('a'), node('b', { deps: ['a'] })),
    });
    scenario.when(done('a', 'found'), {
      type: 'attempt.failed',
      node: 'b',
      attempt: 1,
      draw: 0,
      failure: { code: 'tool_transient', class: 'TRANSIENT', message: 'busy' },
    });
    scenario.then((decided) => {
      expect(types(decided)).toEqual([
        'level.started',
        'node.started',
        'retry.scheduled',
        'pressure.changed',
        'node.refused',
        'model.requested',
      ]);
      expect(only(decided, 'model.requested')).toMatchObject([{ key: 'final/1', role: 'finalizer' }]);
    });
    scenario.when({ type: 'model.answered', key: 'final/1', answer: answer('Partial: found.') });
    expect(scenario.state.finished).toMatchObject({ status: 'budget', partial: 'Partial: found.' });
    expect(scenario.state.finished?.output).toBeUndefined();
  });

  it('waits with a model call that does not fit while others are outstanding, and refuses it when none is', () => {
    const scenario = given({
      tools,
      task: task({ budget: { llmCalls: 1 }, walk: 'eager' }),
      plan: plan(
        node('a', { tool: 'write' }),
        node('b', { tool: 'write' }),
        node('end', { deps: ['a', 'b'] }),
      ),
    });
    scenario.when(ask('a'), ask('b')).then((decided) => {
      expect(only(decided, 'model.requested')).toMatchObject([{ key: 'a/1/1' }]);
      expect(only(decided, 'model.refused')).toEqual([]);
    });
    scenario.when({ type: 'model.answered', key: 'a/1/1', answer: answer('A') }).then((decided) => {
      expect(only(decided, 'model.refused')).toMatchObject([{ key: 'b/1/1', role: 'writer' }]);
    });
    scenario.when(done('a', 'A'), {
      type: 'attempt.failed',
      node: 'b',
      attempt: 1,
      failure: {
        code: 'budget_refused',
        class: 'PERMANENT',
        message: 'llmCalls: the model call does not fit',
      },
    });
    expect(scenario.state.nodes.get('b')?.status).toBe('refused');
    expect(scenario.state.nodes.get('end')?.status).toBe('skipped');
    expect(scenario.state.finished).toMatchObject({ status: 'budget' });
    expect(scenario.state.finished?.partial).toContain('A');
  });

  it('cuts the output of a call to the tokens that are left rather than refuse it', () => {
    const scenario = given({ tools, task: task({ budget: { tokens: 3000, finalReserve: 0 } }) });
    const request = requestOf(scenario);
    expect(request?.maxOutputTokens).toBeLessThan(3000);
    expect(only(scenario.decided, 'model.requested')[0]?.reserved.tokens).toBe(3000);
  });

  it('logs usage above its reservation as an overrun and makes no new call', () => {
    const scenario = given({
      tools,
      task: task({ budget: { tokens: 100_000 } }),
      plan: plan(node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] })),
    });
    scenario
      .when(ask('a'), { type: 'model.answered', key: 'a/1/1', answer: answer('A', 20_000) })
      .then((decided) => {
        expect(only(decided, 'budget.overrun')).toMatchObject([
          { key: 'a/1/1', dimension: 'tokens', used: 40_000 },
        ]);
      });
    scenario.when(done('a', 'A')).then((decided, state) => {
      expect(only(decided, 'node.started')).toEqual([]);
      expect(state.nodes.get('b')?.status).toBe('skipped');
    });
  });

  it('clips the time of a call to the wall time that is left', () => {
    const scenario = given({
      tools,
      task: task({ budget: { wallSeconds: 10 } }),
      plan: plan(node('a'), node('b', { deps: ['a'] })),
    });
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ timeoutMs: 10_000 }]);
    scenario.after(4000).when(done('a', 1));
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'b', timeoutMs: 6000 }]);
    scenario.after(6000).when({
      type: 'attempt.failed',
      node: 'b',
      attempt: 1,
      failure: { code: 'timeout', class: 'TRANSIENT', message: 'late' },
    });
    expect(scenario.state.finished?.status).toBe('budget');
  });

  it('holds a slice back for the write-up of a stopped run', () => {
    const scenario = given({
      tools,
      task: task({
        budget: { llmCalls: 20, finalReserve: 0.05 },
        concurrency: 30,
        limits: { maxOutputTokens: 100 },
      }),
      plan: plan(
        node('found'),
        ...Array.from({ length: 20 }, (_, index) => node(`w${index}`, { tool: 'write' })),
        node('end'),
      ),
    });
    scenario.when(done('found', 'the facts'));
    for (let index = 0; index < 20; index++) {
      scenario.when(ask(`w${index}`));
      if (only(scenario.decided, 'model.requested').length > 0) {
        scenario.when(
          { type: 'model.answered', key: `w${index}/1/1`, answer: answer('w') },
          done(`w${index}`, 'w'),
        );
      } else {
        expect(index).toBe(19);
      }
    }
    scenario.when(
      {
        type: 'attempt.failed',
        node: 'w19',
        attempt: 1,
        failure: { code: 'budget_refused', class: 'PERMANENT', message: 'no' },
      },
      done('end', 1),
    );
    expect(scenario.state.ledger.settled.llmCalls).toBe(19);
    expect(scenario.state.finished?.status).toBe('unverified');
  });
});
