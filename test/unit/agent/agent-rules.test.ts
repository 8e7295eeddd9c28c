/* The small rules of agents, each by itself. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyMemory } from '../../../src/agent/agent-memory.ts';
import { AGENT_TOOLS } from '../../../src/agent/agent-tools.ts';
import { parseAuthorisation } from '../../../src/agent/authorisation.ts';
import { callSignature, findRepetition, noteCall, type PastCall } from '../../../src/agent/call-history.ts';
import { interpretScore } from '../../../src/agent/completion.ts';
import { callProblem, grantedTools, needsConsent, rootGrant } from '../../../src/agent/grant.ts';
import {
  createIterationBudget,
  iterationsLeft,
  refundIteration,
  takeIteration,
} from '../../../src/agent/iteration-budget.ts';
import { segmentCalls } from '../../../src/agent/segments.ts';
import { applyTodo } from '../../../src/agent/todo.ts';
import type { AgentGrant, Todo } from '../../../src/contracts/agent.ts';
import { compileSchema } from '../../../src/contracts/schema.ts';
import type { ToolEffect } from '../../../src/contracts/tool.ts';
import { anyTool } from '../../support/agent-world.ts';

describe('parseAuthorisation', () => {
  it.each([
    ['y', { kind: 'approved', next: 0 }],
    ['Yes', { kind: 'approved', next: 0 }],
    ['y -12', { kind: 'approved', next: 12 }],
    ['y - 2', { kind: 'approved', next: 2 }],
    ['y -99999', { kind: 'approved', next: 1000 }],
    ['N', { kind: 'denied' }],
    ['no', { kind: 'denied' }],
    ['  ', { kind: 'unclear' }],
    ['y -x', { kind: 'feedback', text: 'y -x' }],
    ['y --3', { kind: 'feedback', text: 'y --3' }],
    ['yes, but in staging', { kind: 'feedback', text: 'yes, but in staging' }],
  ])('%j', (text, said) => {
    expect(parseAuthorisation(text)).toEqual(said);
  });
});

describe('segmentCalls', () => {
  const traits = (effect: ToolEffect, isInteractive = false) => ({ effect, isInteractive });

  it('lets neighbours run together only where all of them read, interactive ones alone', () => {
    const [r, w, ask] = [traits('read'), traits('write'), traits('read', true)];
    expect(segmentCalls([r, r, w, w, r, ask, r, r])).toEqual([0, 0, 1, 2, 3, 4, 5, 5]);
    expect(segmentCalls([])).toEqual([]);
  });
});

describe('iterations', () => {
  it('are those of the parent too, and given back there as well', () => {
    const parent = createIterationBudget(3);
    const [a, b] = [createIterationBudget(2, parent), createIterationBudget(9, parent)];
    expect([takeIteration(a), takeIteration(a), takeIteration(a)]).toEqual([true, true, false]);
    expect(iterationsLeft(b)).toBe(1);
    expect([takeIteration(b), takeIteration(b), takeIteration(parent)]).toEqual([true, false, false]);
    refundIteration(a);
    expect([iterationsLeft(a), iterationsLeft(b), iterationsLeft(parent)]).toEqual([1, 1, 1]);
  });
});

describe('findRepetition', () => {
  const past = (name: string, outcome: string, effect: ToolEffect = 'read', ok = true): PastCall => ({
    key: `${name}${outcome}`,
    signature: callSignature(name, {}),
    outcome,
    effect,
    ok,
  });
  const found = (history: readonly PastCall[], name: string) =>
    findRepetition(history, callSignature(name, {}))?.kind ?? null;

  it('finds the third of equal calls, next to each other or in a cycle', () => {
    expect(found([past('a', '1'), past('a', '1')], 'a')).toBe('repeated_call');
    expect(found([past('a', '1')], 'a')).toBeNull();
    expect(found([past('a', '1'), past('b', '1'), past('a', '1'), past('b', '1')], 'a')).toBe(
      'repeated_cycle',
    );
    expect(found([past('a', '1'), past('b', '1'), past('c', '1'), past('a', '1'), past('b', '2')], 'a')).toBe(
      'repeated_cycle',
    );
  });

  it('lets a call be made again whose outcome changes, or after something was changed that was not before', () => {
    expect(found([past('a', '1'), past('a', '2')], 'a')).toBeNull();
    expect(found([past('a', '1'), past('a', '1'), past('a', '2'), past('a', '1')], 'a')).toBeNull();
    const edited = [past('a', '1'), past('a', '1'), past('edit', 'x', 'write')];
    expect(found(edited, 'a')).toBeNull();
    expect(found([...edited, past('edit', 'x', 'write')], 'a')).toBe('repeated_call');
    expect(found([past('a', '1'), past('a', '1'), past('edit', 'x', 'write', false)], 'a')).toBe(
      'repeated_call',
    );
  });

  it('stops every cycle of reads whose outcomes stay, of whatever length', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 12 }), (cycle) => {
        const history: PastCall[] = [];
        for (let step = 0; step < 2 * cycle.length; step++) {
          const name = cycle[step % cycle.length] ?? '';
          expect(found(history, name)).toBeNull();
          noteCall(history, past(name, '1'));
        }
        expect(found(history, cycle[0] ?? '')).toBe(cycle.length === 1 ? 'repeated_call' : 'repeated_cycle');
      }),
    );
  });

  it('never stops calls that are all different', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { maxLength: 30 }), (names) => {
        const history: PastCall[] = [];
        for (const name of names) {
          expect(found(history, name)).toBeNull();
          noteCall(history, past(name, '1'));
        }
      }),
    );
  });
});

describe('interpretScore', () => {
  it.each([
    ['{"completion": 0.95}', 0.95],
    ['```json\n{"completion": 1, "reason": "all there"}\n```', 1],
    ['0.4', 0.4],
    ['95', null],
    ['{"completion": 1.2}', null],
    ['{"completion": "1"}', null],
    ['0,9', null],
    ['complete', null],
    ['{"completion": 0.9} or {"completion": 1}', null],
    ['', null],
  ])('%j → %s', (text, score) => {
    expect(interpretScore(text)).toBe(score);
  });
});

describe('the todo tool', () => {
  const list: Todo[] = [
    { id: 'a', content: 'first', status: 'completed' },
    { id: 'b', content: 'second', status: 'pending' },
  ];

  it('replaces, merges in place and reads', () => {
    const change = {
      todos: [
        { id: 'b', content: 'second', status: 'in_progress' },
        { id: 'c', content: 'third', status: 'pending' },
      ],
    };
    expect(applyTodo(list, { ...change, merge: true })).toMatchObject({
      state: [{ id: 'a' }, { id: 'b', status: 'in_progress' }, { id: 'c' }],
      value: { summary: { pending: 1, in_progress: 1, completed: 1, cancelled: 0 } },
    });
    expect(applyTodo(list, change)).toMatchObject({ state: [{ id: 'b' }, { id: 'c' }] });
    expect(applyTodo(list, {})).toMatchObject({ ok: true, state: list });
  });

  it.each([
    ['an unknown state', { todos: [{ id: 'a', content: 'x', status: 'done' }] }],
    ['an id twice', { todos: [list[0], list[0]] }],
    [
      'too many',
      { todos: Array.from({ length: 101 }, (_, n) => ({ id: `${n}`, content: 'x', status: 'pending' })) },
    ],
    [
      'more than fits',
      {
        merge: true,
        todos: Array.from({ length: 99 }, (_, n) => ({ id: `${n}`, content: 'x', status: 'pending' })),
      },
    ],
    ['no object', 'todo'],
  ])('refuses %s and changes nothing', (_what, args) => {
    expect(applyTodo(list, args as never)).toMatchObject({ ok: false, failure: { code: 'tool_misuse' } });
  });
});

describe('the memory tool', () => {
  it('adds, replaces and removes one entry', () => {
    expect(applyMemory(['a'], { action: 'add', content: 'b' }, 10)).toMatchObject({
      state: ['a', 'b'],
      value: { chars: 2, limit: 10 },
    });
    expect(applyMemory(['a'], { action: 'add', content: 'a' }, 1)).toMatchObject({ state: ['a'] });
    expect(applyMemory(['one', 'two'], { action: 'replace', old: 'tw', content: '2' }, 10)).toMatchObject({
      state: ['one', '2'],
    });
    expect(applyMemory(['one', 'two'], { action: 'remove', old: 'one' }, 10)).toMatchObject({
      state: ['two'],
    });
  });

  it('refuses what would pass the limit, with the entries as they are', () => {
    expect(applyMemory(['abc'], { action: 'add', content: 'defg' }, 6)).toMatchObject({
      ok: false,
      failure: {
        message: expect.stringContaining('7 characters, 6 is the limit') as string,
        details: { entries: ['abc'] },
      },
    });
    expect(applyMemory(['abcdefgh'], { action: 'replace', old: 'a', content: 'abcdefg' }, 6)).toMatchObject({
      ok: true,
    });
  });

  it('refuses where it is not clear which entry is meant', () => {
    for (const old of ['o', 'x']) {
      expect(applyMemory(['one', 'two'], { action: 'remove', old }, 10)).toMatchObject({
        ok: false,
        failure: { details: { entries: ['one', 'two'] } },
      });
    }
  });
});

describe('a grant', () => {
  const grant: AgentGrant = {
    tools: ['look', 'send'],
    effects: ['read', 'write'],
    approve: 'irreversible',
    iterations: 5,
    depth: 1,
  };
  const catalogue = [
    anyTool('look', 'read', {
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    }),
    anyTool('send', 'irreversible'),
    anyTool('other'),
  ];

  it('holds the tools that it names, of the effects that it allows, and no others', () => {
    expect([...grantedTools(grant, catalogue).keys()]).toEqual(['look', 'finish']);
  });

  it('of an agent without a parent is what policy grants, or some of it', () => {
    const policy = { effects: ['read' as const], approve: 'write' as const };
    const request = { catalogue, own: ['todo'], policy, iterations: 7 };
    const whole = { tools: ['look', 'other', 'todo'], ...policy, iterations: 7, depth: 1 };
    expect(rootGrant(request)).toEqual(whole);
    expect(rootGrant({ ...request, names: ['look', 'send'] })).toEqual({ ...whole, tools: ['look', 'todo'] });
  });

  it('refuses a tool or arguments that it does not cover, and says what is meant', () => {
    const tools = grantedTools(grant, catalogue);
    expect(callProblem(tools, { tool: 'look', args: { n: 1 } })).toBeNull();
    expect(callProblem(tools, { tool: 'other', args: {} })?.message).toMatch(
      /no tool "other"; the tools are look, finish/,
    );
    expect(callProblem(tools, { tool: 'loook', args: {} })).toMatchObject({
      details: { suggestion: 'look' },
    });
    expect(callProblem(tools, { tool: 'look', args: { n: 'one' } })?.message).toMatch(
      /break the schema of look: \/n/,
    );
    expect(callProblem(tools, { tool: 'look', args: [1] })?.message).toMatch(
      /must be one JSON object, not \[1\]/,
    );
  });

  it('always asks before what cannot be taken back, whatever else it asks before', () => {
    for (const approve of ['none', 'irreversible', 'write', 'all'] as const) {
      expect(needsConsent(approve, anyTool('send', 'irreversible'))).toBe(true);
      expect(needsConsent(approve, anyTool('put', 'write'))).toBe(approve === 'write' || approve === 'all');
      expect(needsConsent(approve, anyTool('look'))).toBe(approve === 'all');
      expect(needsConsent(approve, anyTool('todo'))).toBe(false);
    }
  });
});

it('the schemas of the tools of agents can be validated', () => {
  for (const { input } of AGENT_TOOLS)
    expect(compileSchema(input).safeParse('no object').success).toBe(false);
});
