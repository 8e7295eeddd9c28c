import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../../src/flight/events.ts';
import { taskSchema } from '../../../src/contracts/task.ts';
import { RULES_VERSION } from '../../../src/run/rules.ts';
import { given } from '../../../src/testing.ts';
import { askingTool, done, echoTool, failed, node, only, plan, task, types } from '../../support/core.ts';

const tools = [echoTool(), askingTool, echoTool('send', { effect: 'irreversible' })];
const MISSING = { code: 'missing_info', class: 'MISSING_INFO', message: 'unknown' } as const;
const ONCE = { limits: { replans: 0 } };

function resumed(settings: Partial<Extract<EventPayload, { type: 'run.resumed' }>> = {}): EventPayload {
  return { type: 'run.resumed', rules: RULES_VERSION, ...settings };
}

function budgetOf(budget: object): ReturnType<typeof taskSchema.parse>['budget'] {
  return taskSchema.parse({ name: 'n', goal: 'g', tools: ['t'], provider: 'p', budget }).budget;
}

describe('a run that is reopened', () => {
  it('runs failed and skipped nodes again, keeps what is done, and reaches a new verdict', () => {
    given({ tools, task: task(ONCE), plan: plan(node('a'), node('b'), node('c', { deps: ['a', 'b'] })) })
      .when(done('a', 'kept'), failed('b', MISSING))
      .then((_, state) => {
        expect(state.finished?.status).toBe('failed');
      })
      .when(resumed({ reopen: true }))
      .then((decided) => {
        expect(only(decided, 'node.started')).toMatchObject([{ node: 'b', attempt: 2 }]);
      })
      .when(done('b', 'found', 2), done('c', 'report'))
      .then((_, state) => {
        expect(state.finished).toMatchObject({ status: 'unverified', output: { node: 'c' } });
        expect(state.nodes.get('a')?.value).toBe('kept');
      });
  });

  it('runs the failed items of a foreach one by one', () => {
    given({
      tools,
      task: task(ONCE),
      plan: plan(
        node('list'),
        node('each', { args: { value: { $item: '' } }, foreach: { $ref: 'list' } }),
        node('end', { args: { value: { $ref: 'each' } } }),
      ),
    })
      .when(
        done('list', [1, 2, 3]),
        done('each[0]', 'one'),
        failed('each[1]', MISSING),
        done('each[2]', 'three'),
      )
      .when(resumed({ reopen: true }))
      .then((decided) => {
        expect(only(decided, 'node.started')).toMatchObject([{ node: 'each[1]', attempt: 2 }]);
      })
      .when(done('each[1]', 'two', 2))
      .then((_, state) => {
        expect(state.nodes.get('each')?.value).toEqual(['one', 'two', 'three']);
      });
  });

  it('goes on under a raised budget from where it was stopped', () => {
    const scenario = given({
      tools,
      task: task({ budget: { llmCalls: 1, finalReserve: 0 } }),
      plan: plan(node('a', { tool: 'write' }), node('b', { tool: 'write', deps: ['a'] })),
    });
    const usage = { inputTokens: 1, outputTokens: 1 };
    const ask = (id: string, attempt = 1): EventPayload[] => [
      {
        type: 'ask.received',
        key: `${id}/${attempt}/1`,
        node: id,
        attempt,
        role: 'writer',
        request: { prompt: 'p' },
      },
    ];
    scenario.when(
      ...ask('a'),
      { type: 'model.answered', key: 'a/1/1', answer: { text: 'A', stop: 'stop', model: 'm', usage } },
      done('a', 'A'),
    );
    expect(scenario.state.finished?.status).toBe('budget');
    scenario.when(resumed({ reopen: true, budget: budgetOf({ llmCalls: 5 }) }));
    expect(only(scenario.decided, 'pressure.changed')).toEqual([]);
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'b' }]);
    expect(scenario.state.ledger.settled.llmCalls).toBe(1);
  });
});

describe('an approval', () => {
  const seed = {
    tools,
    task: task(),
    plan: plan(
      node('a'),
      node('s', { tool: 'send', args: { value: 'x' } }),
      node('end', { deps: ['a', 's'] }),
    ),
  };

  it('pauses only its own branch, and the run ends waiting when nothing else can go on', () => {
    const scenario = given(seed);
    expect(types(scenario.decided)).toContain('approval.requested');
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'a' }]);
    scenario.when(done('a', 1));
    expect(scenario.state.finished?.status).toBe('waiting');
    const question = only(scenario.events, 'approval.requested')[0];
    scenario.when(
      {
        type: 'approval.decided',
        node: 's',
        argsHash: question?.argsHash ?? '',
        decision: 'approved',
        by: 'me',
      },
      resumed(),
    );
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 's', attempt: 1 }]);
  });

  it('binds the arguments: an amendment needs a consent of its own', () => {
    const scenario = given(seed);
    const old = only(scenario.decided, 'approval.requested')[0]?.argsHash ?? '';
    scenario.when(
      { type: 'node.amended', node: 's', by: 'person', args: { value: 'y' }, reasons: ['asked for'] },
      { type: 'approval.decided', node: 's', argsHash: old, decision: 'approved', by: 'me' },
    );
    const question = only(scenario.decided, 'approval.requested')[0];
    expect(question).toMatchObject({ node: 's', args: { value: 'y' } });
    expect(question?.argsHash).not.toBe(old);
    scenario.when({
      type: 'approval.decided',
      node: 's',
      argsHash: question?.argsHash ?? '',
      decision: 'approved',
      by: 'me',
    });
    expect(scenario.effects).toMatchObject([{ kind: 'callTool', node: 's', args: { value: 'y' } }]);
  });

  it('that is denied refuses its branch and allows one replan', () => {
    const scenario = given({ ...seed, plan: undefined as never, task: task() });
    scenario.when({
      type: 'model.answered',
      key: 'plan/1',
      answer: {
        text: JSON.stringify(seed.plan),
        stop: 'stop',
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 1 },
      },
    });
    const question = only(scenario.decided, 'approval.requested')[0];
    scenario.when(
      done('a', 1),
      {
        type: 'approval.decided',
        node: 's',
        argsHash: question?.argsHash ?? '',
        decision: 'denied',
        by: 'me',
        reason: 'no',
      },
      resumed(),
    );
    expect(only(scenario.decided, 'node.refused')).toMatchObject([
      { node: 's', by: 'policy', reason: 'me denied it: no' },
    ]);
    expect(only(scenario.decided, 'replan.started')).toMatchObject([{ failed: ['s'] }]);
  });

  it('a timeout of an irreversible call is a question what became of it, never a second call', () => {
    const scenario = given({ ...seed, task: { ...task(), policy: { approve: 'none' } } });
    scenario.when(done('a', 1), failed('s', { code: 'timeout', class: 'TRANSIENT', message: 'late' }));
    expect(only(scenario.decided, 'approval.requested')).toMatchObject([
      { node: 's', question: 'in_doubt', args: { value: 'x' } },
    ]);
    expect(scenario.state.finished?.status).toBe('waiting');
    scenario.when(
      {
        type: 'approval.decided',
        node: 's',
        argsHash: '',
        decision: 'done',
        value: 'it went out',
        by: 'me',
      },
      resumed(),
    );
    expect(scenario.state.nodes.get('s')).toMatchObject({ status: 'done', value: 'it went out' });
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'end' }]);
  });
});
