/* Why a model stopped outranks what it said: a whole document in a cut or refused answer is none. */
import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/contracts/model.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import { given, type Scenario } from '../../../src/testing.ts';
import { answer, askingTool, done, echoTool, node, only, plan, task, types } from '../../support/core.ts';
import { asking } from '../../support/provider-chain.ts';

const PLAN = JSON.stringify(plan(node('a')));
const PASS = '{"score":1,"issues":[]}';
const STOPS = ['length', 'refusal', 'content_filter'] as const;

function said(key: string, text: string, stop: StopReason = 'stop'): EventPayload {
  return { type: 'model.answered', key, answer: { ...answer(text), stop } };
}

describe('a plan in an answer', () => {
  const planning = () => given({ tools: [echoTool()], task: task({ limits: { planRounds: 2 } }) });

  it.each([
    ['length', 'truncated_json', 'cut off after 10 output tokens'],
    ['refusal', 'not_json', 'refused'],
    ['content_filter', 'not_json', 'content filter'],
  ] as const)('that ended by %s is refused', (stop, code, message) => {
    const scenario = planning().when(said('plan/1', PLAN, stop));
    const problem = { code, pointer: '', message: expect.stringContaining(message) as string };
    expect(only(scenario.decided, 'plan.rejected')).toMatchObject([{ key: 'plan/1', problems: [problem] }]);
    expect(only(scenario.decided, 'model.requested')).toMatchObject([{ key: 'plan/2' }]);
    scenario.when(said('plan/2', PLAN));
    expect(types(scenario.decided)).toContain('plan.accepted');
  });

  it('is never run where every answer is cut off', () => {
    const scenario = planning().when(said('plan/1', PLAN, 'length'), said('plan/2', PLAN, 'length'));
    expect(scenario.state.finished).toMatchObject({
      status: 'failed',
      failure: { code: 'plan_unobtainable' },
    });
    expect(types(scenario.events)).not.toContain('node.started');
  });
});

describe('a judgement in an answer', () => {
  const judging = () =>
    given({ tools: [echoTool()], task: { verify: { judge: 'on' } }, plan: plan(node('a')) }).when(
      done('a', 'report'),
    );

  it.each(STOPS)('that ended by %s is none: asked for once more, then indeterminate', (stop) => {
    const scenario = judging().when(said('judge/1', PASS, stop));
    expect(only(scenario.decided, 'model.requested')).toMatchObject([{ key: 'judge/1/2' }]);
    scenario.when(said('judge/1/2', PASS, stop));
    expect(only(scenario.decided, 'verdict.reached')).toMatchObject([
      { verdict: { outcome: 'indeterminate' } },
    ]);
    expect(scenario.state.finished).toMatchObject({ status: 'indeterminate' });
  });

  it('is told why it was none', () => {
    const scenario = judging().when(said('judge/1', PASS, 'length'));
    const [effect] = scenario.effects;
    const messages = effect?.kind === 'callModel' ? effect.request.messages : [];
    expect(messages.at(-1)?.content).toContain('cut off after 10 output tokens');
    scenario.when(said('judge/1/2', PASS));
    expect(scenario.state.finished).toMatchObject({ status: 'verified' });
  });
});

describe('repaired arguments in an answer', () => {
  const input = {
    ...{ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    additionalProperties: false,
  };
  const repairing = () =>
    given({
      tools: [echoTool('look', { input }), echoTool()],
      task: task({ limits: { replans: 0 } }),
      plan: plan(node('first'), node('a', { tool: 'look', args: { city: { $ref: 'first' } } })),
    }).when(done('first', 7));

  it.each(STOPS)('that ended by %s repair nothing', (stop) => {
    const scenario = repairing();
    const key = only(scenario.decided, 'model.requested')[0]?.key ?? '';
    scenario.when(said(key, '{"city":"Lima"}', stop));
    expect(types(scenario.events)).not.toContain('node.amended');
    expect(only(scenario.decided, 'node.failed')).toMatchObject([
      { node: 'a', failure: { code: 'tool_misuse' } },
    ]);
  });
});

describe('the question of a tool', () => {
  const limits = { maxOutputTokens: 1000, attempts: 1 };
  const writing = (maxOutputTokens?: number): Scenario => {
    const scenario = given({
      tools: [askingTool],
      task: task({ limits }),
      plan: plan(node('w', { tool: 'write' })),
    });
    const request = { prompt: 'p', ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) };
    return scenario.when({ ...asking('w'), request } as EventPayload);
  };
  const room = ({ effects }: Scenario): (number | null)[] =>
    effects.map((effect) => (effect.kind === 'callModel' ? effect.request.maxOutputTokens : null));

  it('that was cut off by a limit of its own is asked once more with all that a call may have', () => {
    const scenario = writing(100);
    expect(room(scenario)).toEqual([100]);
    scenario.when(said('w/1/1', 'Half a', 'length'));
    expect(only(scenario.decided, 'retry.scheduled')).toEqual([
      { type: 'retry.scheduled', key: 'w/1/1', delayMs: 0 },
    ]);
    expect(only(scenario.decided, 'model.requested')).toMatchObject([
      { key: 'w/1/1#2', reserved: { tokens: expect.any(Number) as number } },
    ]);
    expect(room(scenario)).toEqual([1000]);
    scenario.when(said('w/1/1#2', 'Still half a', 'length'));
    expect(only(scenario.decided, 'ask.failed')).toMatchObject([{ failure: { code: 'model_truncated' } }]);
  });

  it.each([undefined, 1000, 5000])('that had all of it already (%s) fails at once', (maxOutputTokens) => {
    const scenario = writing(maxOutputTokens).when(said('w/1/1', 'Half a', 'length'));
    expect(only(scenario.decided, 'ask.failed')).toMatchObject([{ failure: { code: 'model_truncated' } }]);
    expect(types(scenario.decided)).not.toContain('model.requested');
  });
});
