import { describe, expect, it } from 'vitest';
import type { RecalledContext } from '../../../src/contracts/memory.ts';
import type { TaskInput } from '../../../src/contracts/task.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import type { Effect } from '../../../src/run/effects.ts';
import { foldEvents } from '../../../src/run/evolve.ts';
import { given, type Scenario } from '../../../src/testing.ts';
import { answer, askingTool, done, echoTool, failed, node, only, plan, types } from '../../support/core.ts';

const BUSY = { code: 'model_overloaded', class: 'TRANSIENT', message: 'busy' } as const;
const strictTool = echoTool('strict', {
  input: { type: 'object', properties: { value: { type: 'string' } }, required: ['value'] },
});

const recalled = (call: string, text = '', more: Partial<RecalledContext> = {}): EventPayload => ({
  ...{ type: 'memory.recalled', key: `memory/${call}`, text, included: [], warnings: [], ...more },
});
const answered = (key: string, text: string, tokens?: number): EventPayload => ({
  ...{ type: 'model.answered', key, answer: answer(text, tokens) },
});
const asks = (id: string, ordinal = 1): EventPayload => ({
  ...{ type: 'ask.received', key: `${id}/1/${ordinal}`, node: id, attempt: 1, role: 'writer' },
  request: { prompt: `Write about ${id}.` },
});

const remembering = (task: Partial<TaskInput> = {}, withPlan = plan(node('a'))): Scenario =>
  given({
    tools: [echoTool(), askingTool, strictTool],
    task: { verify: { judge: 'off' }, ...task },
    plan: withPlan,
    hasMemory: true,
  });
const planning = (task: Partial<TaskInput> = {}): Scenario =>
  given({ tools: [echoTool()], task, hasMemory: true });

function effectsOf<K extends Effect['kind']>(scenario: Scenario, kind: K): Extract<Effect, { kind: K }>[] {
  return scenario.effects.filter((effect) => effect.kind === kind) as Extract<Effect, { kind: K }>[];
}

/** What the models of the last `when` were told, all messages together. */
const told = (scenario: Scenario): string[] =>
  effectsOf(scenario, 'callModel').map(({ request }) => JSON.stringify(request.messages));

describe('a model call of a run with a memory', () => {
  it('is owed what is known first, and is made with it', () => {
    const scenario = planning();
    expect(types(scenario.decided)).toEqual(['memory.requested']);
    expect(effectsOf(scenario, 'recall')).toEqual([
      {
        kind: 'recall',
        key: 'memory/plan/1',
        query: 'Reach the goal.',
        working: {},
        budgetChars: 4000,
        timeoutMs: 2000,
      },
    ]);
    scenario.when(recalled('plan/1', 'KNOWN OF OLD')).then((decided) => {
      expect(types(decided)).toEqual(['model.requested']);
    });
    expect(told(scenario)[0]).toContain('KNOWN OF OLD');
    expect(told(scenario)[0]).toContain('plan around it');
  });

  it('is the same as without where nothing is known', () => {
    const [, first] = only(planning().when(recalled('plan/1')).events, 'model.requested');
    const without = only(given({ tools: [echoTool()] }).events, 'model.requested');
    expect(first).toBeUndefined();
    expect(only(planning().when(recalled('plan/1')).events, 'model.requested')[0]?.request).toBe(
      without[0]?.request,
    );
  });

  it('of a run without a memory owes nothing', () => {
    const scenario = given({ tools: [echoTool()] });
    expect(types(scenario.decided)).toEqual(['model.requested']);
  });

  it('is tried again with what was recalled for it, which is not recalled again', () => {
    const scenario = planning().when(recalled('plan/1', 'KNOWN OF OLD'), {
      ...{ type: 'model.failed', key: 'plan/1', failure: BUSY, draw: 0 },
    });
    expect(types(scenario.decided)).toEqual(['model.requested', 'retry.scheduled', 'model.requested']);
    expect(told(scenario)[1]).toContain('KNOWN OF OLD');
  });

  it('tells a replanner the results that the run has', () => {
    const scenario = planning()
      .when(recalled('plan/1'), answered('plan/1', JSON.stringify(plan(node('a'), node('b')))))
      .when(
        done('a', 'found it'),
        failed('b', { code: 'missing_info', class: 'MISSING_INFO', message: 'm' }),
      );
    const [owed] = effectsOf(scenario, 'recall');
    expect(owed).toMatchObject({
      key: 'memory/plan/2',
      query: 'Reach the goal.\necho: missing_info',
      working: { results: [{ node: 'a', tool: 'echo', value: 'found it' }] },
    });
  });

  it('gives the judge less, so that report and results have room beside it', () => {
    const scenario = remembering({ verify: { judge: 'on' } }).when(done('a', 'x'.repeat(9000)));
    expect(effectsOf(scenario, 'recall')).toMatchObject([{ key: 'memory/judge/1', budgetChars: 1000 }]);
    scenario.when(recalled('judge/1', 'K'.repeat(1000)));
    const [judge] = effectsOf(scenario, 'callModel');
    const content = judge?.request.messages.at(-1)?.content as string;
    const context = content.slice(content.indexOf('<report>'));
    expect(context).toContain('K'.repeat(1000));
    expect(context.length).toBeLessThanOrEqual(4000);
  });
});

describe('the budget of what is recalled', () => {
  const pressed = { budget: { tokens: 40_000, economyAt: 0.05 }, memory: { contextChars: 800 } };

  it('is half outside of full mode', () => {
    const scenario = planning({
      budget: { tokens: 30_000, economyAt: 0.1 },
      memory: { contextChars: 801 },
    }).when(recalled('plan/1'), answered('plan/1', 'no plan', 2000));
    expect(effectsOf(scenario, 'recall')).toMatchObject([{ key: 'memory/plan/2', budgetChars: 400 }]);
  });

  it('holds for a call that was recalled for in better times: it is recalled anew, never sent too long', () => {
    const scenario = remembering(pressed, plan(node('a', { tool: 'write' }), node('b', { tool: 'write' })));
    scenario.when(
      asks('a'),
      asks('b'),
      recalled('a/1/1', 'A'.repeat(800)),
      recalled('b/1/1', 'B'.repeat(800)),
    );
    expect(types(scenario.decided).filter((type) => type === 'model.requested').length).toBeGreaterThan(0);
    scenario.when({ type: 'model.failed', key: 'a/1/1', failure: BUSY, draw: 0, usage: usageOf(1500) });
    const owed = [...effectsOf(scenario, 'recall')];
    expect(scenario.state.mode).not.toBe('full');
    expect(owed).toMatchObject([{ key: 'memory/a/1/1#2', budgetChars: 400 }]);
    scenario.when({ ...recalled('a/1/1', 'short'), key: 'memory/a/1/1#2' } as EventPayload);
    expect(told(scenario)[0]).toContain('short');
    expect(told(scenario)[0]).not.toContain('AAAA');
  });

  it('holds where it cannot be recalled anew, too: the call is made without', () => {
    const scenario = planning(pressed).when(recalled('plan/1', 'A'.repeat(800)), {
      ...{ type: 'model.failed', key: 'plan/1', failure: BUSY, draw: 1, usage: usageOf(1500) },
    });
    scenario.when({ type: 'run.resumed', rules: 1 });
    expect(scenario.state.mode).toBe('economy');
    expect(told(scenario)).toHaveLength(1);
    expect(told(scenario)[0]).not.toContain('AAAA');
  });

  it('of nothing asks for nothing', () => {
    const scenario = planning({ memory: { contextChars: 0 } });
    expect(types(scenario.decided)).toEqual(['model.requested']);
  });
});

function usageOf(tokens: number): { inputTokens: number; outputTokens: number } {
  return { inputTokens: tokens, outputTokens: tokens };
}

describe('while something is recalled', () => {
  it('other questions are made and other nodes start', () => {
    const scenario = remembering(
      { concurrency: 2 },
      plan(
        node('a', { tool: 'write' }),
        node('b', { tool: 'write' }),
        node('c'),
        node('d', { deps: ['a', 'b', 'c'] }),
      ),
    );
    scenario.when(asks('a'));
    expect(types(scenario.decided)).toEqual(['memory.requested']);
    scenario.when(asks('b'), recalled('b/1/1'));
    expect(only(scenario.decided, 'model.requested')).toMatchObject([{ key: 'b/1/1' }]);
    scenario.when(answered('b/1/1', 'text'), done('b', 'text'));
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'c' }]);
    scenario.when(recalled('a/1/1'));
    expect(only(scenario.decided, 'model.requested')).toMatchObject([{ key: 'a/1/1' }]);
  });

  it('a node whose arguments are to be repaired waits, and the rest goes on', () => {
    const scenario = remembering(
      { concurrency: 1 },
      plan(
        node('a', { tool: 'strict', args: { value: { $ref: 'l' } } }),
        node('l'),
        node('c', { deps: ['l'] }),
      ),
    );
    scenario.when(done('l', 5));
    expect(only(scenario.decided, 'memory.requested')).toMatchObject([{ call: 'repair/a/1', node: 'a' }]);
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'c' }]);
    expect(scenario.state.nodes.get('a')?.status).toBe('repairing');
    scenario.when(recalled('repair/a/1', 'KNOWN OF OLD'));
    expect(told(scenario)[0]).toContain('KNOWN OF OLD');
    scenario.when(answered('repair/a/1', '{"value": "5"}'), done('c', 1));
    expect(only(scenario.events, 'node.amended')).toMatchObject([{ node: 'a', args: { value: '5' } }]);
  });

  it('a node that ends takes its question along', () => {
    const scenario = remembering({}, plan(node('a', { tool: 'write' })));
    scenario.when(asks('a'), failed('a', { code: 'tool_failed', class: 'PERMANENT', message: 'm' }));
    scenario.when(recalled('a/1/1', 'too late'));
    expect(only(scenario.events, 'model.requested')).toEqual([]);
    expect(scenario.state.memory.recalls.size).toBe(0);
  });

  it('a cancelled run ends without it', () => {
    const scenario = planning().when({ type: 'cancel.requested', reason: 'enough' });
    expect(types(scenario.decided)).toEqual(['run.interrupted']);
  });
});

describe('a memory that does not come in time', () => {
  const late = (call: string): EventPayload =>
    ({ ...recalled(call, '', { warnings: ['late'] }), timedOut: true }) as EventPayload;

  it('is left alone after three times in a row', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id, { tool: 'write' }));
    const scenario = remembering({}, plan(...nodes));
    for (const id of ['a', 'b', 'c']) scenario.when(asks(id), late(`${id}/1/1`));
    scenario.when(asks('d'));
    expect(types(scenario.decided)).toEqual(['model.requested']);
  });

  it('is asked on where it came meanwhile', () => {
    const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id, { tool: 'write' }));
    const scenario = remembering({}, plan(...nodes));
    scenario.when(asks('a'), late('a/1/1'), asks('b'), late('b/1/1'), asks('c'), recalled('c/1/1'));
    scenario.when(asks('d'));
    expect(types(scenario.decided)).toEqual(['memory.requested']);
  });
});

describe('a run that is taken up', () => {
  const resumed = { type: 'run.resumed', rules: 1 } as const;

  it('recalls again what was under way, and keeps what had come', () => {
    const scenario = planning().when({ ...resumed, memory: true });
    expect(only(scenario.decided, 'memory.requested')).toMatchObject([{ key: 'memory/plan/1' }]);
    scenario.when(recalled('plan/1', 'KNOWN OF OLD')).when({ ...resumed, memory: true });
    expect(types(scenario.decided)).toEqual(['model.requested']);
    expect(told(scenario)[0]).toContain('KNOWN OF OLD');
  });

  it('by a process without a memory goes on without', () => {
    const scenario = planning().when(resumed);
    expect(types(scenario.decided)).toEqual(['model.requested']);
  });

  it('may be older than the settings of memory', () => {
    const [started, ...rest] = given({ tools: [echoTool()] }).events;
    if (started?.type !== 'run.started') throw new Error('no first event');
    const old = { ...started, task: { ...started.task, memory: { contextChars: 300 } } } as typeof started;
    const state = foldEvents([
      old,
      ...rest,
      { ...resumed, memory: true, seq: rest.length + 1, at: started.at },
    ]);
    expect(state.task.memory).toMatchObject({ contextChars: 300, timeoutMs: 2000 });
  });
});

describe('a memory that holds too much', () => {
  const overflow = {
    tier: 'episodic',
    ids: ['r1/episode', 'r2/episode'],
    request: { instructions: 'Sum up.', prompt: 'MEMORIES' },
  } as const;
  const crowded = (task: Partial<TaskInput> = {}): Scenario =>
    remembering(task, plan(node('a', { tool: 'write' }))).when(
      asks('a'),
      recalled('a/1/1', '', { overflow: { ...overflow, ids: [...overflow.ids] } }),
      answered('a/1/1', 'text'),
    );

  it('is summed up by a model before the run ends, which the ledger is charged for', () => {
    const scenario = crowded().when(done('a', 'text'));
    expect(only(scenario.decided, 'model.requested')).toMatchObject([
      { key: 'memory/summary/1', role: 'archivist', reserved: { llmCalls: 1 } },
    ]);
    expect(only(scenario.decided, 'run.finished')).toEqual([]);
    expect(told(scenario)[0]).toContain('MEMORIES');
    const before = scenario.state.ledger.settled.tokens;
    scenario.when(answered('memory/summary/1', 'A summary.', 30));
    expect(only(scenario.decided, 'run.finished')).toMatchObject([{ status: 'unverified' }]);
    expect(scenario.state.ledger.settled.tokens).toBe(before + 60);
  });

  it('stays as it is where the model fails, and the run ends as it would have', () => {
    const scenario = crowded().when(done('a', 'text'), {
      ...{ type: 'model.failed', key: 'memory/summary/1', failure: BUSY, draw: 0 },
    });
    expect(types(scenario.decided).slice(-1)).toEqual(['run.finished']);
    expect(scenario.state.finished).toMatchObject({ status: 'unverified' });
  });

  it('waits where the budget presses, where nothing more fits, and where the run did not end well', () => {
    const pressing = crowded({ budget: { llmCalls: 1 } }).when(done('a', 'text'));
    expect(only(pressing.events, 'model.requested')).toHaveLength(1);
    expect(pressing.state.finished?.status).toBe('unverified');
    const failing = crowded({ limits: { replans: 0 } }).when(
      failed('a', { code: 'tool_failed', class: 'PERMANENT', message: 'm' }),
    );
    expect(failing.state.finished?.status).toBe('failed');
    expect(only(failing.events, 'model.requested')).toHaveLength(1);
  });
});
