/* Whoever takes a run up may have a clock that is behind, or far ahead: no duration is longer or shorter for that. */
import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../../src/flight/events.ts';
import { RULES_VERSION } from '../../../src/run/rules.ts';
import { nextWake } from '../../../src/run/decide.ts';
import { given } from '../../../src/testing.ts';
import { done, echoTool, failed, node, only, plan, task } from '../../support/core.ts';
import { asking, calls, failing, NO_QUOTA, writing } from '../../support/provider-chain.ts';

const RESUMED: EventPayload = { type: 'run.resumed', rules: RULES_VERSION };
const TICK: EventPayload = { type: 'timer.fired' };
/** Time enough that an hour before is after the beginning of time. */
const LONG_MS = 10_000_000;
const BUSY = { code: 'tool_transient', class: 'TRANSIENT', message: 'busy' } as const;

describe.each([
  ['an hour back', -3_600_000],
  ['a day ahead', 86_400_000],
])('a clock that is set %s between two processes', (_, jumpMs) => {
  it('leaves a provider without quota alone for what was left of its cooldown', () => {
    // A cooldown of a minute, of which 20 s have passed.
    const scenario = writing()
      .after(LONG_MS)
      .when(asking('w'))
      .when(failing('w/1/1', NO_QUOTA))
      .after(20_000)
      .when(TICK);
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'w/1/1#2', at: 'second#1' });
    scenario.after(jumpMs).when(RESUMED, asking('w'));
    expect(calls(scenario).at(-1)).toMatchObject({ at: 'second#1' });
    scenario.after(39_000).when(asking('w', 2));
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'w/1/2', at: 'second#1' });
    scenario.after(2000).when(asking('w', 3));
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'w/1/3', at: 'first#0' });
  });

  it('leaves a retry what was left of its delay, and the downtime to nobody', () => {
    const scenario = given({
      tools: [echoTool()],
      task: task({ limits: { backoffMs: 10_000 } }),
      plan: plan(node('a')),
    });
    // Half of it by the draw, of which 2 s have passed.
    scenario.after(LONG_MS).when(failed('a', BUSY)).after(2000).when(TICK);
    scenario
      .after(jumpMs)
      .when(RESUMED)
      .then((decided) => expect(only(decided, 'node.started')).toEqual([]));
    expect(nextWake(scenario.state) - scenario.state.now).toBe(3000);
    scenario
      .after(2900)
      .when(TICK)
      .then((decided) => expect(decided).toEqual([]));
    scenario
      .after(100)
      .when(TICK)
      .then((decided) => expect(only(decided, 'node.started')).toHaveLength(1));
    scenario.when(done('a', 'x', 2)).then((_decided, state) => {
      expect(state.finished?.status).toBe('unverified');
      expect(state.ledger.settled.wallMs).toBe(LONG_MS + 5000);
    });
  });
});
