import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/contracts/failure.ts';
import type { EventPayload } from '../../../src/flight/events.ts';
import { toRunResult } from '../../../src/run/run-result.ts';
import { RULES_VERSION } from '../../../src/run/rules.ts';
import type { Scenario } from '../../../src/testing.ts';
import { answer, node, only, plan } from '../../support/core.ts';
import { BUSY, planned } from '../../support/provider-chain.ts';

const PRICES = { one: { inputPerMTok: 1, outputPerMTok: 2 } };
const FIRST = { name: 'first', model: 'one' };
const TIMEOUT: Failure = { code: 'timeout', class: 'TRANSIENT', message: 'no answer' };
const PLAN: EventPayload = {
  type: 'model.answered',
  key: 'plan/1#2',
  answer: answer(JSON.stringify(plan(node('a'))), 7),
};

function failing(failure: Failure, usage?: { inputTokens: number; outputTokens: number }): EventPayload {
  return { type: 'model.failed', key: 'plan/1', failure, ...(usage === undefined ? {} : { usage }), draw: 0 };
}

function usageOf({ state }: Scenario) {
  const { usage } = toRunResult(state, null);
  return { ...usage, wallSeconds: 0 };
}

function reservedTokens(scenario: Scenario): number {
  return only(scenario.events, 'model.requested')[0]?.reserved.tokens ?? 0;
}

describe('the usage of a run', () => {
  it('holds what failed calls are known to have used', () => {
    const scenario = planned(FIRST, { prices: PRICES }).when(
      failing(BUSY, { inputTokens: 100, outputTokens: 30 }),
      { type: 'timer.fired' },
      PLAN,
    );
    const charged = { inputTokens: 107, outputTokens: 37, llmCalls: 2, toolCalls: 0 };
    expect(usageOf(scenario)).toEqual({ ...charged, costUsd: (107 + 2 * 37) / 1e6, wallSeconds: 0 });
    expect(scenario.state.ledger.settled.tokens).toBe(144);
  });

  it('tells apart what is only assumed, of calls that may have been charged', () => {
    const scenario = planned(FIRST, { prices: PRICES }).when(failing(TIMEOUT), { type: 'timer.fired' }, PLAN);
    const reserved = reservedTokens(scenario);
    expect(reserved).toBeGreaterThan(1000);
    expect(usageOf(scenario)).toMatchObject({ inputTokens: 7, outputTokens: 7, assumedTokens: reserved });
    expect(scenario.state.ledger.settled.tokens).toBe(14 + reserved);
  });

  it('assumes what was under way when the process died', () => {
    const scenario = planned(FIRST, { prices: PRICES }).when({ type: 'run.resumed', rules: RULES_VERSION });
    expect(usageOf(scenario)).toMatchObject({ llmCalls: 1, assumedTokens: reservedTokens(scenario) });
  });

  it('has no known cost where such a call has no price', () => {
    expect(usageOf(planned(FIRST).when(failing(BUSY))).costUsd).toBe(0);
    expect(usageOf(planned(FIRST).when(failing(TIMEOUT))).costUsd).toBeNull();
    const resumed = planned(FIRST).when({ type: 'run.resumed', rules: RULES_VERSION });
    expect(usageOf(resumed).costUsd).toBeNull();
  });

  it('ends new calls where a failed one used more than it had reserved', () => {
    const scenario = planned(FIRST, { prices: PRICES, budget: { tokens: 50_000 } });
    const used = reservedTokens(scenario) + 1;
    scenario.when(failing(BUSY, { inputTokens: used, outputTokens: 0 }));
    expect(only(scenario.decided, 'budget.overrun')).toMatchObject([{ key: 'plan/1', used }]);
    expect(scenario.state.finished).toMatchObject({ status: 'budget' });
  });
});
