import { describe, expect, it } from 'vitest';
import { readSection } from '../../../src/contracts/section.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import { toRunResult } from '../../../src/run/run-result.ts';
import { given } from '../../../src/testing.ts';
import { answer, askingTool, done, echoTool, node, only, plan, types } from '../../support/core.ts';

const tools = [echoTool(), askingTool];

function judged(round: number, value: object): EventPayload {
  return { type: 'model.answered', key: `judge/${round}`, answer: answer(JSON.stringify(value)) };
}

function asked(id: string, attempt = 1): EventPayload {
  return {
    type: 'ask.received',
    key: `${id}/${attempt}/1`,
    node: id,
    attempt,
    role: 'writer',
    request: { prompt: 'p' },
  };
}

describe('the verdict', () => {
  it('is unverified where the task asks for no verification', () => {
    given({ tools, task: { verify: { judge: 'off' } }, plan: plan(node('a')) })
      .when(done('a', 'report'))
      .then((_, state) => {
        expect(state.verdict).toMatchObject({ outcome: 'pass', tier: 'none' });
        expect(state.finished).toMatchObject({ status: 'unverified', output: { node: 'a' } });
      });
  });

  it('asks the judge only about what passed the checks', () => {
    const seed = { tools, task: { verify: { checks: [{ includes: 'Lima' }] } }, plan: plan(node('a')) };
    given(seed)
      .when(done('a', 'about Rome'))
      .then((decided, state) => {
        expect(only(decided, 'model.requested')).toEqual([]);
        expect(state.finished).toMatchObject({ status: 'rejected' });
      });
    given(seed)
      .when(done('a', 'about Lima'))
      .then((decided) => {
        expect(only(decided, 'model.requested')).toMatchObject([{ key: 'judge/1', role: 'critic' }]);
      })
      .when(judged(1, { score: 0.9, issues: [] }))
      .then((_, state) => {
        expect(state.verdict).toMatchObject({ outcome: 'pass', tier: 'judge', score: 0.9 });
        expect(state.finished?.status).toBe('verified');
      });
  });

  it('is indeterminate where the judge gives no score, asked once more, or fails, and costs no replan', () => {
    const seed = { tools, task: { limits: { attempts: 1 } }, plan: plan(node('a')) };
    given(seed)
      .when(done('a', 'x'), judged(1, { issues: [] }))
      .then((decided) => {
        expect(only(decided, 'model.requested').at(-1)).toMatchObject({ key: 'judge/1/2', role: 'critic' });
      })
      .when({ type: 'model.answered', key: 'judge/1/2', answer: answer('{"issues": []}') })
      .then((decided, state) => {
        expect(types(decided)).not.toContain('replan.started');
        expect(state.finished?.status).toBe('indeterminate');
      });
    given(seed)
      .when(done('a', 'x'), {
        type: 'model.failed',
        key: 'judge/1',
        failure: { code: 'model_overloaded', class: 'TRANSIENT', message: '429' },
      })
      .then((_, state) => {
        expect(state.verdict).toMatchObject({ outcome: 'indeterminate' });
        expect(state.finished?.status).toBe('indeterminate');
      });
  });

  it('waits for a function check, and fails by it', () => {
    given({
      tools,
      task: { verify: { judge: 'off', checks: [{ function: './c.ts#f' }] } },
      plan: plan(node('a')),
    })
      .when(done('a', 'x'))
      .then((decided) => {
        expect(decided).toEqual([{ type: 'check.called', key: 'check/1/0', index: 0 }]);
      })
      .when({
        type: 'check.returned',
        key: 'check/1/0',
        result: { name: 'f', ok: false, message: 'no good' },
      })
      .then((_, state) => {
        expect(state.finished).toMatchObject({
          status: 'rejected',
          reason: expect.stringContaining('no good') as string,
        });
      });
  });

  it('sends the output node back once with what was wrong, then plans anew, then ends as rejected', () => {
    const scenario = given({
      tools,
      task: { verify: { judge: 'off', checks: [{ includes: 'Lima' }] }, limits: { replans: 1 } },
    });
    const first = plan(node('w', { tool: 'write', args: { about: 'x' } }));
    scenario.when({ type: 'model.answered', key: 'plan/1', answer: answer(JSON.stringify(first)) });
    scenario.when(
      asked('w'),
      { type: 'model.answered', key: 'w/1/1', answer: answer('Rome') },
      done('w', 'Rome'),
    );
    scenario.then((decided) => {
      expect(types(decided)).toEqual(['model.requested', 'verdict.reached', 'node.amended', 'node.started']);
      expect(only(decided, 'node.amended')).toMatchObject([{ node: 'w', by: 'revision' }]);
    });
    scenario.when(asked('w', 2));
    const request = scenario.effects.find((effect) => effect.kind === 'callModel')?.request;
    expect(request === undefined ? null : readSection(request, 'issues')).toMatchObject([
      expect.stringContaining('Lima'),
    ]);
    scenario
      .when({ type: 'model.answered', key: 'w/2/1', answer: answer('Oslo') }, done('w', 'Oslo', 2))
      .then((decided) => {
        expect(only(decided, 'replan.started')).toMatchObject([{ reason: 'verdict', failed: ['w'] }]);
        expect(only(decided, 'model.requested')).toMatchObject([{ role: 'replanner' }]);
      });
    const noPlan = (key: string): EventPayload => ({
      type: 'model.answered',
      key,
      answer: answer('I have no other plan.'),
    });
    scenario.when(noPlan('plan/2'), noPlan('plan/3'), noPlan('plan/4')).then((_, state) => {
      expect(state.finished).toMatchObject({ status: 'rejected', output: { node: 'w' } });
      expect(toRunResult(state, null)).toMatchObject({
        status: 'rejected',
        exitCode: 3,
        answer: 'Oslo',
        verdict: { outcome: 'fail' },
      });
    });
  });

  it('makes checks alone no pass where the judge is required', () => {
    given({ tools, task: { verify: { judge: 'required' }, budget: { toolCalls: 1 } }, plan: plan(node('a')) })
      .when(done('a', 'x'))
      .then((_, state) => {
        expect(state.verdict).toMatchObject({ outcome: 'indeterminate' });
        expect(state.finished?.status).not.toBe('verified');
      });
  });
});
