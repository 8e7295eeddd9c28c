/*
 * What real model APIs do wrong, at the level of a whole run: each fault over each API, streamed and whole, at the
 * planner, a worker and the critic. A fault that lasts ends the run as its class says; one that passes costs a retry.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { replay } from '../../src/engine/replay.ts';
import type { FlightEvent } from '../../src/flight/events.ts';
import { API_MODES } from '../support/api-providers.ts';
import { type ChaosRun, ChaosServer, RIGHT_REPLIES, type Role, ROLES } from '../support/chaos-run.ts';
import { only, types } from '../support/core.ts';
import { FAULT_CELLS } from '../support/model-server/faults.ts';
import type { Scenario } from '../support/model-server/model-server.ts';

/** Silence that ends a call where one stalls: longer than a busy machine takes for calls that do not. */
const STALLED_MS = 1000;
/** No cell takes longer, its retries included. */
const LONGEST_MS = 10_000;

type Cell = (typeof CELLS)[number];

const CELLS = FAULT_CELLS.flatMap((cell) => ROLES.map((role) => ({ ...cell, role })));
const POSSIBLE = CELLS.filter(({ reason }) => reason === undefined);

let server: ChaosServer;
beforeAll(async () => {
  server = await ChaosServer.start();
});
afterAll(() => server.close());

/** How a fault ends for the one that asks. */
type Ending =
  /** The call fails and is made again, up to `limits.attempts`. */
  | { readonly kind: 'transient'; readonly code: unknown }
  /** The call fails, once. */
  | { readonly kind: 'permanent'; readonly code: unknown }
  /** There is an answer, which is no result. */
  | { readonly kind: 'useless'; readonly code: string }
  | { readonly kind: 'none' };

function endingOf({ outcome, api, role }: Cell): Ending {
  if ('failure' in outcome) return { kind: 'useless', code: outcome.failure };
  if (!('code' in outcome)) return { kind: 'none' };
  // A planner answers Anthropic by a forced call: its arguments are the text of the plan, broken ones a broken plan.
  if (outcome.code === 'model_malformed' && api === 'messages' && role === 'planner') {
    return { kind: 'useless', code: outcome.code };
  }
  return { kind: outcome.retry === 'TRANSIENT' ? 'transient' : 'permanent', code: outcome.code };
}

/** The fault as it strikes that role: an answer that is whole in the end is the one that the role owes. */
function strike(cell: Cell): Scenario {
  const { scenario, role } = cell;
  if (!('reply' in scenario) || endingOf(cell).kind !== 'none') return scenario;
  return { ...scenario, reply: { text: RIGHT_REPLIES[role] } };
}

function isSlow(scenario: Scenario): boolean {
  return 'stall' in scenario || 'end' in scenario;
}

function runCell(cell: Cell, isStruck: (before: number) => boolean): Promise<ChaosRun> {
  const { scenario, api, isStreamed, role } = cell;
  return server.run(
    api,
    isStreamed,
    (asked, before) =>
      asked === role && isStruck(before) ? strike(cell) : { reply: { text: RIGHT_REPLIES[asked] } },
    isSlow(scenario) ? { limits: { modelIdleTimeoutMs: STALLED_MS } } : {},
  );
}

/** What holds however a run ends. */
function expectSound({ result, events, requests, elapsedMs, overdrawn, isReserved }: ChaosRun): void {
  expect(elapsedMs).toBeLessThan(LONGEST_MS);
  expect(overdrawn).toEqual([]);
  expect(isReserved).toBe(false);
  expect(only(events, 'model.requested')).toHaveLength(requests.length);
  expect(result.usage.llmCalls).toBe(requests.length);
  expect(types(events)).not.toContain('replan.started');
  expect(types(events).at(-1)).toBe('run.finished');
  expect(replay(events, true)).toMatchObject({ isComplete: true, warnings: [], divergence: null });
  // What the calls used is what the run has spent; a call that failed on the way has no figures.
  const used = only(events, 'model.answered').map(({ answer }) => answer.usage.inputTokens);
  const lost = only(events, 'model.failed').map(({ usage }) => usage?.inputTokens ?? 0);
  expect(result.usage.inputTokens).toBeGreaterThanOrEqual(sum(used));
  expect(result.usage.inputTokens).toBeLessThanOrEqual(sum(used) + sum(lost));
  expect(JSON.stringify(events)).not.toContain('key-of-run');
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** Calls that a role makes where it meets nothing but the fault, and the calls of the others. */
function callsOf(role: Role, kind: Ending['kind']): { own: number; others: number } {
  const others = role === 'planner' ? 0 : role === 'worker' ? 1 : 2;
  if (kind === 'permanent') return { own: 1, others };
  // A worker's question is asked twice, by each of two attempts of its node.
  if (role === 'worker') return { own: kind === 'transient' ? 4 : 1, others };
  return { own: 2, others };
}

const failures = (events: readonly FlightEvent[]) =>
  only(events, 'model.failed').map(({ failure }) => failure);

describe.concurrent('a fault that lasts', () => {
  const struck = POSSIBLE.filter((cell) => endingOf(cell).kind !== 'none');

  it.each(struck)('$name: $api, $how, at the $role', async (cell) => {
    const { role } = cell;
    const ending = endingOf(cell);
    const run = await runCell(cell, () => true);
    const { result, events, requests } = run;
    expectSound(run);
    if (ending.kind === 'none') throw new Error('not a fault');

    // A worker that hears nothing is asked again like one that cannot be reached.
    const isEmptyWorker = role === 'worker' && ending.code === 'model_empty';
    const { own, others } = callsOf(role, isEmptyWorker ? 'transient' : ending.kind);
    expect(requests.filter((asked) => asked === role)).toHaveLength(own);
    expect(requests).toHaveLength(own + others);

    const isFailed = ending.kind !== 'useless';
    expect(failures(events)).toHaveLength(isFailed ? own : 0);
    for (const failure of failures(events)) expect(failure.code).toEqual(ending.code);
    expect(types(events)).not.toContain('fallback.chosen');
    const retries = only(events, 'retry.scheduled').filter(({ key }) => key !== 'w/1');
    const isRetried = ending.kind === 'transient' || isEmptyWorker;
    expect(retries).toHaveLength(isRetried ? (role === 'worker' ? 2 : 1) : 0);
    // What Retry-After asks for is cut to the cap.
    for (const { delayMs } of retries) expect(delayMs).toBeLessThanOrEqual(5);
    if (isFailed && failures(events).some(({ retryAfterMs }) => retryAfterMs === 7000)) {
      for (const { delayMs } of retries) expect(delayMs).toBe(5);
    }

    switch (role) {
      case 'planner':
        expect(result).toMatchObject({ status: 'failed', exitCode: 1 });
        expect(result.failure?.code).toEqual(isFailed ? ending.code : 'plan_unobtainable');
        expect(only(events, 'plan.rejected')).toHaveLength(isFailed ? 0 : 2);
        expect(types(events)).not.toContain('node.started');
        break;
      case 'worker':
        expect(result).toMatchObject({ status: 'failed', exitCode: 1, answer: null });
        expect(result.failure?.code).toEqual(ending.code);
        for (const { failure } of only(events, 'ask.failed')) expect(failure.code).toEqual(ending.code);
        expect(only(events, 'ask.failed')).toHaveLength(isRetried ? 2 : 1);
        expect(only(events, 'node.failed')).toMatchObject([{ node: 'w' }]);
        break;
      case 'critic':
        expect(result).toMatchObject({ status: 'indeterminate', exitCode: 3, answer: RIGHT_REPLIES.worker });
        expect(only(events, 'verdict.reached')).toMatchObject([{ verdict: { outcome: 'indeterminate' } }]);
    }
  });
});

describe.concurrent('a fault that passes', () => {
  const passing = POSSIBLE.filter((cell) => endingOf(cell).kind === 'transient');

  it.each(passing)('$name: $api, $how, at the $role', async (cell) => {
    const run = await runCell(cell, (before) => before === 0);
    expectSound(run);
    expect(run.result).toMatchObject({ status: 'verified', exitCode: 0, answer: RIGHT_REPLIES.worker });
    expect(run.requests).toHaveLength(4);
    expect(failures(run.events)).toHaveLength(1);
    expect(only(run.events, 'retry.scheduled')).toHaveLength(1);
  });
});

describe.concurrent('an oddity that is no fault', () => {
  const odd = POSSIBLE.filter((cell) => endingOf(cell).kind === 'none');

  it.each(odd)('$name: $api, $how, at the $role', async (cell) => {
    const run = await runCell(cell, () => true);
    expectSound(run);
    expect(run.result).toMatchObject({ status: 'verified', exitCode: 0, answer: RIGHT_REPLIES.worker });
    expect(run.requests).toEqual(['planner', 'worker', 'critic']);
    expect(types(run.events)).not.toContain('retry.scheduled');
  });
});

describe.concurrent('an answer that takes for ever, and is not streamed', () => {
  const cells = API_MODES.flatMap((api) => ROLES.map((role) => ({ api, role })));

  it.each(cells)('ends with the time of a call: $api, at the $role', async ({ api, role }) => {
    const run = await server.run(
      api,
      false,
      (asked, before) =>
        asked === role && before === 0 ? { stall: 'everything' } : { reply: { text: RIGHT_REPLIES[asked] } },
      { limits: { modelTimeoutMs: 1000 } },
    );
    expectSound(run);
    expect(run.result.status).toBe('verified');
    expect(failures(run.events)).toMatchObject([{ code: 'timeout', class: 'TRANSIENT' }]);
    expect(only(run.events, 'retry.scheduled')).toHaveLength(1);
  });
});

describe.concurrent('a limit on calls', () => {
  it.each(API_MODES)('is never passed, however often a call fails: %s', async (api) => {
    const busy: Scenario = { status: 529, error: { type: 'overloaded_error' } };
    const run = await server.run(
      api,
      true,
      (asked) => (asked === 'worker' ? busy : { reply: { text: RIGHT_REPLIES[asked] } }),
      { budget: { llmCalls: 3 }, limits: { attempts: 9 } },
    );
    expectSound(run);
    expect(run.requests).toEqual(['planner', 'worker', 'worker']);
    expect(run.result).toMatchObject({ status: 'budget', exitCode: 4 });
  });
});

describe('cells that cannot exist', () => {
  it('are these, at every role', () => {
    const reasons = FAULT_CELLS.flatMap(({ name, api, how, reason }) =>
      reason === undefined ? [] : [`${name}, ${how} (${api}): ${reason}`],
    );
    expect(reasons.join('\n')).toMatchInlineSnapshot(`
      "stream cut mid-call, whole (messages): a cut stream needs a stream
      stream cut mid-call, whole (chat): a cut stream needs a stream
      stream cut mid-call, whole (responses): a cut stream needs a stream
      clean end mid-call, whole (messages): a stream that ends early needs a stream
      clean end mid-call, whole (chat): a stream that ends early needs a stream
      clean end mid-call, whole (responses): a stream that ends early needs a stream
      last event without blank line, whole (messages): an event needs a stream
      last event without blank line, whole (chat): an event needs a stream
      last event without blank line, whole (responses): an event needs a stream
      malformed JSON arguments, whole (messages): the server has parsed the arguments itself
      two concatenated argument objects, whole (messages): the server has parsed the arguments itself
      overloaded inside 200, whole (messages): an error event needs a stream
      overloaded inside 200, whole (chat): an error event needs a stream
      overloaded inside 200, whole (responses): an error event needs a stream
      no connection is answered, whole (messages): an answer that is not streamed may take as long as the caller waits
      no connection is answered, whole (chat): an answer that is not streamed may take as long as the caller waits
      no connection is answered, whole (responses): an answer that is not streamed may take as long as the caller waits
      stream that never ends after its end marker, whole (messages): an end marker needs a stream
      stream that never ends after its end marker, whole (chat): an end marker needs a stream
      stream that never ends after its end marker, whole (responses): an end marker needs a stream"
    `);
  });
});
