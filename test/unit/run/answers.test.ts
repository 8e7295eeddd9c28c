import { describe, expect, it } from 'vitest';
import type { EventOf, EventPayload, FlightEvent } from '../../../src/flight/events.ts';
import { nextWake } from '../../../src/run/decide.ts';
import { evolve, foldEvents } from '../../../src/run/evolve.ts';
import { RULES_VERSION } from '../../../src/run/rules.ts';
import { given } from '../../../src/testing.ts';
import { done, echoTool, failed, node, only, plan, task, types } from '../../support/core.ts';

const tools = [echoTool(), echoTool('send', { effect: 'irreversible' })];
const MISSING = { code: 'missing_info', class: 'MISSING_INFO', message: 'unknown' } as const;
const BUSY = { code: 'tool_transient', class: 'TRANSIENT', message: 'busy' } as const;
const RESUMED: EventPayload = { type: 'run.resumed', rules: RULES_VERSION };

function answerTo(
  question: Omit<EventOf<'approval.requested'>, 'seq' | 'at'> | undefined,
  decision: 'approved' | 'denied' | 'done' = 'approved',
): EventPayload {
  const { node: id = '', argsHash = '' } = question ?? {};
  return { type: 'approval.decided', node: id, argsHash, decision, by: 'me' };
}

describe('a call that waits for a person', () => {
  it('is waited for though the output, which does not need it, is done', () => {
    const scenario = given({ tools, task: task(), plan: plan(node('s', { tool: 'send' }), node('out')) });
    const [question] = only(scenario.decided, 'approval.requested');
    scenario.when(done('out', 'report'));
    expect(scenario.state.finished).toMatchObject({ status: 'waiting' });
    scenario.when(answerTo(question), RESUMED);
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 's' }]);
    scenario.when(done('s', 'sent'));
    expect(scenario.state.finished).toMatchObject({ status: 'unverified', output: { node: 'out' } });
  });

  it('and of which nobody knows whether it was made keeps the rest from being planned anew', () => {
    const scenario = given({
      tools,
      task: { ...task({ concurrency: 2 }), policy: { approve: 'none' } },
      plan: plan(node('s', { tool: 'send' }), node('a'), node('out', { deps: ['s', 'a'] })),
    });
    // A supplied plan is never planned anew: this one counts as drawn.
    scenario.state.isPlanSupplied = false;
    scenario.when(RESUMED, failed('a', MISSING, 1));
    expect(only(scenario.events, 'approval.requested')).toMatchObject([{ node: 's', question: 'in_doubt' }]);
    scenario.when(failed('a', MISSING, 1));
    expect(types(scenario.events)).not.toContain('replan.started');
    expect(scenario.state.finished).toMatchObject({ status: 'waiting' });
    scenario.when(answerTo(only(scenario.events, 'approval.requested')[0], 'done'), RESUMED);
    expect(types(scenario.decided)).toContain('replan.started');
  });
});

describe('a retry that is due', () => {
  const retrying = () =>
    given({
      tools,
      task: { ...task({ concurrency: 1, walk: 'eager' }), limits: { backoffMs: 1000 } },
      plan: plan(node('a'), node('b'), node('out', { deps: ['a', 'b'] })),
    }).when(failed('a', BUSY, 1, 0.5));

  it('and has no slot sets no timer: it starts with the next slot', () => {
    const scenario = retrying();
    expect(nextWake(scenario.state)).toBe(scenario.state.now + 500);
    scenario.after(600).when({ type: 'timer.fired' });
    expect(scenario.state.running.size).toBe(1);
    expect(nextWake(scenario.state)).toBe(Infinity);
    scenario.when(done('b', 1));
    expect(only(scenario.decided, 'node.started')).toMatchObject([{ node: 'a', attempt: 2 }]);
  });

  it.each([-3_600_000, 86_400_000])(
    'waits out the rest of its delay when the clock jumps by %s ms',
    (jumpMs) => {
      const { events } = retrying();
      const state = foldEvents(events);
      const left = (state.retrying[0]?.dueAt ?? 0) - state.now;
      expect(left).toBe(500);
      const spentMs = state.ledger.settled.wallMs;
      const resumed = { ...RESUMED, seq: events.length, at: state.now + jumpMs } as FlightEvent;
      evolve(state, resumed);
      expect((state.retrying[0]?.dueAt ?? 0) - state.now).toBe(left);
      expect(state.ledger.settled.wallMs).toBe(spentMs);
    },
  );
});

describe('an answer that was logged while nobody ran the run', () => {
  it('makes the time before it nobody’s', () => {
    const scenario = given({ tools, task: task(), plan: plan(node('s', { tool: 'send' })) });
    const [question] = only(scenario.decided, 'approval.requested');
    const spentMs = scenario.state.ledger.settled.wallMs;
    scenario.after(5000).when({ ...answerTo(question), atRest: true } as EventPayload);
    expect(scenario.state.ledger.settled.wallMs).toBe(spentMs);
  });
});

describe('a catalogue that is published again', () => {
  it('gives nodes that have not run the tool as it is now', () => {
    const scenario = given({ tools, task: task(), plan: plan(node('a'), node('b', { deps: ['a'] })) });
    const changed = echoTool('echo', { effect: 'irreversible' }).spec;
    scenario.when({ type: 'catalogue.published', hash: 'h', tools: [changed], withheld: [] }, done('a', 1));
    expect(only(scenario.decided, 'approval.requested')).toMatchObject([{ node: 'b' }]);
  });
});
