import { describe, expect, it } from 'vitest';
import type { EventPayload } from '../../../src/flight/events.ts';
import { answer, done, node, only, plan, types } from '../../support/core.ts';
import {
  asking,
  BAD_REQUEST,
  BUSY,
  calls,
  CHAIN,
  failAndWait,
  failing,
  NO_QUOTA,
  planned,
  refreshed,
  WITH_COMMAND,
  writing,
  WRONG_KEY,
} from '../../support/provider-chain.ts';

describe('a transient failure', () => {
  it('is retried at the same provider, and goes on to the next when that does not help', () => {
    const scenario = planned([...CHAIN]).when(failing('plan/1', BUSY));
    expect(scenario.decided).toEqual([{ type: 'retry.scheduled', key: 'plan/1', delayMs: 50 }]);
    scenario.after(50).when({ type: 'timer.fired' });
    expect(calls(scenario).at(-1)).toEqual({ key: 'plan/1#2', at: 'first#0', model: 'one' });
    scenario.when(failing('plan/1#2', BUSY));
    expect(scenario.decided).toMatchObject([
      {
        type: 'fallback.chosen',
        key: 'plan/1#2',
        from: 'first',
        to: 'second',
        link: 1,
        reason: 'model_overloaded',
      },
      { type: 'model.requested', key: 'plan/1#3', provider: 'second', link: 1, model: 'two' },
    ]);
  });

  it('waits as long as the provider asks for, up to the cap', () => {
    planned([...CHAIN], { limits: { attempts: 2, backoffCapMs: 5000 } })
      .when(failing('plan/1', { ...BUSY, retryAfterMs: 3000 }))
      .then((decided) => expect(only(decided, 'retry.scheduled')).toMatchObject([{ delayMs: 3000 }]));
    planned([...CHAIN], { limits: { attempts: 2, backoffCapMs: 5000 } })
      .when(failing('plan/1', { ...BUSY, retryAfterMs: 3_600_000 }))
      .then((decided) => expect(only(decided, 'retry.scheduled')).toMatchObject([{ delayMs: 5000 }]));
  });

  it('has the attempts of its own at the fallback, and ends the call after the last of them', () => {
    const scenario = planned([...CHAIN]);
    for (const key of ['plan/1', 'plan/1#2', 'plan/1#3']) failAndWait(scenario, key);
    expect(calls(scenario).map(({ at }) => at)).toEqual(['first#0', 'first#0', 'second#1', 'second#1']);
    expect(only(scenario.events, 'retry.scheduled').map(({ delayMs }) => delayMs)).toEqual([50, 50]);
    scenario.when(failing('plan/1#4', BUSY)).then((_, state) => {
      expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'model_overloaded' } });
    });
  });

  it('at the fallback never uses up the attempts of the primary', () => {
    const scenario = writing().when(asking('w'));
    for (const key of ['w/1/1', 'w/1/1#2', 'w/1/1#3', 'w/1/1#4']) failAndWait(scenario, key);
    expect(only(scenario.events, 'ask.failed')).toMatchObject([{ key: 'w/1/1' }]);
    scenario.when(asking('w', 2));
    for (const key of ['w/1/2', 'w/1/2#2']) failAndWait(scenario, key);
    const second = calls(scenario).filter(({ key }) => key.startsWith('w/1/2'));
    expect(second.map(({ at }) => at)).toEqual(['first#0', 'first#0', 'second#1']);
  });

  it('of one call leaves the attempts of another alone', () => {
    const scenario = writing().when(asking('w', 1), asking('w', 2), failing('w/1/1', BUSY));
    scenario.when(failing('w/1/2', BUSY)).then((decided) => {
      expect(types(decided)).toEqual(['retry.scheduled']);
    });
  });

  it('ends where there is no other provider', () => {
    const scenario = planned({ name: 'first', model: 'one' });
    failAndWait(scenario, 'plan/1').when(failing('plan/1#2', BUSY));
    expect(types(scenario.decided)).toEqual(['run.finished']);
  });
});

describe('a wait that would take longer than the run has left', () => {
  const budget = { wallSeconds: 60 };
  const LONG = { ...BUSY, retryAfterMs: 600_000 };
  const limits = { attempts: 3, backoffCapMs: 900_000 };

  it('is no wait: the next provider is asked at once', () => {
    const scenario = planned([...CHAIN], { budget, limits }).when(failing('plan/1', LONG));
    expect(types(scenario.decided)).toEqual(['fallback.chosen', 'model.requested']);
  });

  it('ends the run for its budget where there is no other provider', () => {
    const scenario = planned({ name: 'first' }, { budget, limits }).when(failing('plan/1', LONG));
    expect(only(scenario.decided, 'model.refused')).toMatchObject([
      { key: 'plan/1', dimension: 'wallSeconds' },
    ]);
    expect(scenario.state.finished).toMatchObject({
      status: 'budget',
      reason: expect.stringContaining('wallSeconds') as string,
    });
  });

  it('refuses the question of a tool', () => {
    const scenario = writing({ budget, limits, provider: 'first' }).when(asking('w'), failing('w/1/1', LONG));
    expect(only(scenario.decided, 'model.refused')).toMatchObject([
      { key: 'w/1/1', dimension: 'wallSeconds' },
    ]);
    expect(types(scenario.events)).not.toContain('retry.scheduled');
  });

  it('leaves the verdict open where it is the judge that would wait: never a pass', () => {
    const scenario = planned('first', {
      budget,
      limits,
      verify: { judge: 'on', checks: [{ minLength: 1 }] },
    });
    const text = JSON.stringify(plan(node('a')));
    scenario.when({ type: 'model.answered', key: 'plan/1', answer: answer(text) }, done('a', 'report'));
    scenario.when(failing('judge/1', LONG));
    expect(scenario.state.finished).toMatchObject({ status: 'indeterminate' });
    expect(types(scenario.events)).not.toContain('replan.started');
  });

  it('is waited where it is just short of that', () => {
    const scenario = planned({ name: 'first' }, { budget, limits });
    scenario.when(failing('plan/1', { ...BUSY, retryAfterMs: 59_000 }));
    expect(only(scenario.decided, 'retry.scheduled')).toMatchObject([{ delayMs: 59_000 }]);
  });
});

describe('an exhausted quota', () => {
  it('falls back at once, and the next call starts at the second provider until the first has cooled down', () => {
    const scenario = writing().when(asking('w'), failing('w/1/1', NO_QUOTA));
    expect(types(scenario.decided)).toEqual(['model.requested', 'fallback.chosen', 'model.requested']);
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'w/1/1#2', at: 'second#1' });
    const answered: EventPayload = { type: 'model.answered', key: 'w/1/1#2', answer: answer('text') };
    scenario.when(answered).after(59_999).when(asking('w', 2));
    expect(calls(scenario).at(-1)).toEqual({ key: 'w/1/2', at: 'second#1', model: 'two' });
    scenario.after(1).when(asking('w', 3));
    expect(calls(scenario).at(-1)).toEqual({ key: 'w/1/3', at: 'first#0', model: 'one' });
  });

  it('of the provider in the middle is passed over by a call that falls back', () => {
    const provider = [...CHAIN, { name: 'third', model: 'three' }];
    const scenario = writing({ provider }).when(asking('w', 1), failing('w/1/1', NO_QUOTA));
    scenario.when(failing('w/1/1#2', NO_QUOTA)).after(60_000);
    // The first is asked again by now; the second has run dry only a moment ago.
    scenario.when(asking('w', 2), failing('w/1/2', NO_QUOTA), asking('w', 3), failing('w/1/2#2', NO_QUOTA));
    const second = only(scenario.events, 'fallback.chosen').map(({ from, to }) => `${from} > ${to}`);
    expect(second).toEqual(['first > second', 'second > third', 'first > second', 'second > third']);
    expect(calls(scenario).find(({ key }) => key === 'w/1/3')?.at).toBe('second#1');
    scenario.when(asking('w', 4));
    expect(calls(scenario).at(-1)?.at).toBe('third#2');
  });

  it('of every provider ends the call; the last is asked again, for it may have been filled up', () => {
    const scenario = writing().when(asking('w'), failing('w/1/1', NO_QUOTA), failing('w/1/1#2', NO_QUOTA));
    expect(only(scenario.decided, 'ask.failed')).toMatchObject([{ failure: { code: 'model_quota' } }]);
    expect(only(scenario.decided, 'retry.scheduled')).toEqual([]);
    scenario.when(asking('w', 2));
    expect(calls(scenario).at(-1)).toMatchObject({ key: 'w/1/2', at: 'second#1' });
  });
});

describe('a refused key', () => {
  it('is fetched anew twice at most, and then the next provider is asked', () => {
    const scenario = planned([WITH_COMMAND, CHAIN[1]]).when(failing('plan/1', WRONG_KEY));
    expect(scenario.decided).toEqual([{ type: 'credential.requested', key: 'plan/1', provider: 'first' }]);
    expect(scenario.effects).toEqual([{ kind: 'refreshCredential', key: 'plan/1', provider: 'first' }]);
    scenario.when(refreshed('plan/1'), failing('plan/1#2', WRONG_KEY), refreshed('plan/1#2'));
    scenario.when(failing('plan/1#3', WRONG_KEY));
    expect(types(scenario.decided)).toEqual(['fallback.chosen', 'model.requested']);
    expect(only(scenario.events, 'credential.requested')).toHaveLength(2);
    expect(only(scenario.events, 'retry.scheduled')).toEqual([]);
    expect(calls(scenario).map(({ at }) => at)).toEqual(['first#0', 'first#0', 'first#0', 'second#1']);
  });

  it('counts its refreshes over the whole run', () => {
    const scenario = writing({ provider: [WITH_COMMAND, CHAIN[1]] }).when(
      asking('w'),
      failing('w/1/1', WRONG_KEY),
      refreshed('w/1/1'),
      { type: 'model.answered', key: 'w/1/1#2', answer: answer('text') },
      asking('w', 2),
      failing('w/1/2', WRONG_KEY),
      refreshed('w/1/2'),
      failing('w/1/2#2', WRONG_KEY),
    );
    expect(only(scenario.events, 'credential.requested').map(({ key }) => key)).toEqual(['w/1/1', 'w/1/2']);
    expect(only(scenario.events, 'fallback.chosen')).toMatchObject([{ key: 'w/1/2#2', to: 'second' }]);
  });

  it('that cannot be fetched is not asked for again', () => {
    const scenario = planned([WITH_COMMAND, CHAIN[1]])
      .when(failing('plan/1', WRONG_KEY))
      .when(refreshed('plan/1', WRONG_KEY));
    expect(types(scenario.decided)).toEqual(['fallback.chosen', 'model.requested']);
  });

  it('leaves a call all of its attempts at transient failures', () => {
    const scenario = planned([WITH_COMMAND, CHAIN[1]]);
    scenario.when(failing('plan/1', WRONG_KEY), refreshed('plan/1'), failing('plan/1#2', BUSY));
    // The first of two attempts, and the delay of the first.
    expect(only(scenario.decided, 'retry.scheduled')).toMatchObject([{ key: 'plan/1#2', delayMs: 50 }]);
    scenario.after(50).when({ type: 'timer.fired' }, failing('plan/1#3', WRONG_KEY), refreshed('plan/1#3'));
    scenario.when(failing('plan/1#4', BUSY));
    expect(types(scenario.decided)).toEqual(['fallback.chosen', 'model.requested']);
    expect(calls(scenario).map(({ at }) => at)).toEqual([...Array<string>(4).fill('first#0'), 'second#1']);
  });

  it('without a command falls back at once', () => {
    const scenario = planned([...CHAIN]).when(failing('plan/1', WRONG_KEY));
    expect(types(scenario.decided)).toEqual(['fallback.chosen', 'model.requested']);
  });

  it('is what a run without any other provider ends with', () => {
    planned({ name: 'first' })
      .when(failing('plan/1', WRONG_KEY))
      .then((decided, state) => {
        expect(types(decided)).toEqual(['run.finished']);
        expect(state.finished?.failure?.code).toBe('model_unauthorized');
      });
  });
});

describe('a request that is refused as malformed', () => {
  it('is neither made again nor made elsewhere', () => {
    planned([WITH_COMMAND, CHAIN[1]])
      .when(failing('plan/1', BAD_REQUEST))
      .then((decided, state) => {
        expect(types(decided)).toEqual(['run.finished']);
        expect(state.finished).toMatchObject({ status: 'failed', failure: { code: 'model_bad_request' } });
      });
  });

  it('ends at the fallback too', () => {
    const scenario = planned([...CHAIN]).when(failing('plan/1', NO_QUOTA), failing('plan/1#2', BAD_REQUEST));
    expect(types(scenario.decided).at(-1)).toBe('run.finished');
    expect(only(scenario.events, 'fallback.chosen')).toHaveLength(1);
  });
});

describe('a question of a tool whose answer is no result', () => {
  const said = (stop: 'refusal' | 'length'): EventPayload => ({
    type: 'model.answered',
    key: 'w/1/1',
    answer: { ...answer('Half a'), stop },
  });

  it.each([
    ['refusal', 'model_refused'],
    ['length', 'model_truncated'],
  ] as const)('(%s) is no fault of the provider: no retry, no fallback', (stop, code) => {
    const scenario = writing().when(asking('w')).when(said(stop));
    expect(scenario.decided).toMatchObject([{ type: 'ask.failed', key: 'w/1/1', failure: { code } }]);
  });
});
