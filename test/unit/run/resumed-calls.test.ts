import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../../src/flight/events.ts';
import { decide } from '../../../src/run/decide.ts';
import { evolve, foldEvents } from '../../../src/run/evolve.ts';
import { RULES_VERSION } from '../../../src/run/rules.ts';
import { given } from '../../../src/testing.ts';
import { echoTool, failed, node, plan, task, types } from '../../support/core.ts';
import { calls, failing, planned, refreshed, WITH_COMMAND, WRONG_KEY } from '../../support/provider-chain.ts';

const RESUMED: EventPayload = { type: 'run.resumed', rules: RULES_VERSION };

describe('a call whose key was being fetched when the process died', () => {
  it('is made again by whoever takes the run up', () => {
    const scenario = planned(WITH_COMMAND).when(failing('plan/1', WRONG_KEY));
    expect(types(scenario.decided)).toEqual(['credential.requested']);
    scenario.when(RESUMED);
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'plan/1#2', at: 'first#0' });
  });

  it('is made again where the run was cancelled meanwhile', () => {
    const scenario = planned(WITH_COMMAND).when(failing('plan/1', WRONG_KEY), {
      type: 'cancel.requested',
      reason: 'enough',
    });
    expect(types(scenario.decided)).toContain('run.interrupted');
    scenario.when(RESUMED);
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'plan/1#2', at: 'first#0' });
  });

  it('has its key fetched as often as one whose process did not die', () => {
    const scenario = planned(WITH_COMMAND).when(failing('plan/1', WRONG_KEY), RESUMED);
    scenario.when(failing('plan/1#2', WRONG_KEY));
    expect(types(scenario.decided)).toEqual(['credential.requested']);
    scenario.when(refreshed('plan/1#2'), failing('plan/1#3', WRONG_KEY));
    expect(scenario.state.finished).toMatchObject({
      status: 'failed',
      failure: { code: 'model_unauthorized' },
    });
  });
});

describe('a node whose attempt was ended by a cancellation, and whose process died before it said so', () => {
  const ABORTED = { code: 'aborted', class: 'PERMANENT', message: 'cancelled: enough' } as const;
  const CANCEL: EventPayload = { type: 'cancel.requested', reason: 'enough' };

  /** The run up to the end of the attempt, without the event that the end of the node is. */
  function cutShort(tool: string) {
    const tools = [echoTool(), echoTool('send', { effect: 'irreversible' })];
    const policy = { approve: 'none' } as const;
    const whole = given({ tools, task: task({ policy }), plan: plan(node('a', { tool })) });
    whole.when(CANCEL, failed('a', ABORTED));
    const last = whole.events.findIndex(({ type }) => type === 'attempt.failed');
    const state = foldEvents(whole.events.slice(0, last + 1));
    evolve(state, { seq: last + 1, at: state.now, ...RESUMED });
    return decide(state)?.event;
  }

  it('runs again where it may be called again, and is asked about where not', () => {
    expect(cutShort('echo')).toMatchObject({ type: 'node.started', node: 'a', attempt: 2 });
    expect(cutShort('send')).toMatchObject({ type: 'approval.requested', question: 'in_doubt' });
  });
});
