import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../src/contracts/failure.ts';
import { explain } from '../../../src/views/why.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import {
  cityCompare,
  failedRun,
  foreachRun,
  interruptedRun,
  NO_ATLANTIS,
  replannedRun,
  retriedRun,
} from '../../support/flight-scenarios.ts';

const lines = (...args: Parameters<typeof explain>) => explain(...args).split('\n');

describe('explain a node', () => {
  it('that was skipped: down the chain to the root cause', () => {
    expect(lines(failedRun(), 'report')).toEqual([
      '     "report" (aggregate_report) is skipped',
      ' #4  plan 1 calls for it and makes it the output; it needs "summary"',
      '#10  it was skipped, because it needs "summary", which gave no result',
      ' #9  "summary" had been skipped, as it needs "atlantis"',
      ' #8  "atlantis" had failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
    ]);
  });

  it('that was tried again: each attempt with what came of it', () => {
    expect(lines(retriedRun(), 'paris')).toEqual([
      '     "paris" (get_population) is done',
      ' #7  plan 1 calls for it and makes it the output; it needs no other node',
      ' #9  attempt 1 started',
      '#10  attempt 1 failed after 10 ms: HTTP 503 from the register (tool_transient, TRANSIENT)',
      '#11  it is tried again in 100 ms',
      '#12  attempt 2 started',
      '#13  attempt 2 failed after 20 ms: HTTP 503 from the register (tool_transient, TRANSIENT)',
      '#14  it is tried again in 200 ms',
      '#15  attempt 3 started',
      '#16  attempt 3 gave its result after 30 ms',
    ]);
  });

  it('that a server refused: with what it said, on one line and cut', () => {
    const reported = `ENOENT:\u001b[31m no such file\n${'x'.repeat(600)}`;
    const failure: Failure = {
      code: 'tool_misuse',
      class: 'TOOL_MISUSE',
      message: 'fs__write reports an error',
      details: { reported },
    };
    const events = failedRun().map((event) =>
      event.type === 'attempt.failed' ? { ...event, failure } : event,
    );
    const [said] = lines(events, 'atlantis').filter((line) => line.includes('attempt 1 failed'));
    expect(said).toMatch(
      /fs__write reports an error \(tool_misuse, TOOL_MISUSE\); it said "ENOENT: \[31m no such file x+… \[cut: \d+ characters\]"$/,
    );
  });

  it('that a replan does without', () => {
    expect(lines(replannedRun(), 'atlantis')).toEqual([
      '     "atlantis" (get_population) is superseded',
      ' #4  plan 1 calls for it; it needs no other node',
      ' #6  attempt 1 started',
      ' #8  attempt 1 failed after 15 ms: no city named "Atlantis" (missing_info, MISSING_INFO)',
      ' #9  it failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
      '#11  the rest of the plan was drawn anew because of it',
      '#17  plan 2 does without it',
    ]);
    expect(lines(replannedRun(), 'paris').at(-1)).toBe('#17  plan 2 keeps its result');
  });

  it('that is an item of a foreach node, and the foreach node that fails with it', () => {
    expect(lines(foreachRun(), 'each[1]')[1]).toBe('     it is item 2 of the list that "each" runs over');
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'each', tool: 't', foreach: { $ref: 'list' } }], 'each')
      .add('node.expanded', { node: 'each', items: 2 })
      .nodeRun('each[0]', 1)
      .nodeStart('each[1]')
      .attemptFailed('each[1]', NO_ATLANTIS)
      .add('node.failed', { node: 'each[1]', failure: NO_ATLANTIS })
      .add('node.failed', { node: 'each', failure: NO_ATLANTIS })
      .build();
    expect(lines(events, 'each')).toEqual([
      '    "each" (t) is failed',
      '#1  plan 1 calls for it and makes it the output; it needs no other node',
      '#2  it became 2 nodes, one for each item',
      '#8  it failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
      '#7  "each[1]" had failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
    ]);
  });

  it('that was repaired, sent back, approved and asked of a model', () => {
    const misuse: Failure = { code: 'tool_misuse', class: 'TOOL_MISUSE', message: 'city is missing' };
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .add('approval.requested', {
        question: 'consent',
        node: 'a',
        tool: 't',
        args: {},
        argsHash: 'h',
        plan: 'p',
      })
      .add('approval.decided', {
        node: 'a',
        argsHash: 'h',
        decision: 'approved',
        by: 'ann',
        reason: 'looks right',
      })
      .nodeStart('a')
      .attemptFailed('a', misuse)
      .call('repair/a/1', 'repairer', { node: 'a' })
      .add('node.amended', { node: 'a', by: 'repair', args: {}, reasons: ['city is missing'] })
      .nodeStart('a', 2)
      .ask('a', 2, 1, 'aggregator')
      .nodeDone('a', 'text', 2)
      .verdict('a', 'fail', ['no Osaka'])
      .add('node.amended', { node: 'a', by: 'revision', reasons: ['no Osaka'] })
      .build();
    expect(lines(events, 'a').slice(2)).toEqual([
      ' #2  it waits for the approval of a person',
      ' #3  ann approved it: looks right',
      ' #4  attempt 1 started',
      ' #5  attempt 1 failed after 0 ms: city is missing (tool_misuse, TOOL_MISUSE)',
      ' #6  a model is asked to repair its arguments',
      ' #8  a model repaired its arguments: city is missing',
      ' #9  attempt 2 started',
      '#10  attempt 2 asks a model as aggregator',
      '#11  attempt 2 gave its result after 0 ms',
      '#12  the critic judged its result: fail (judge, score 0.3): includes Paris: looked for Paris; no Osaka',
      '#13  the critic sent it back: no Osaka',
    ]);
  });

  it('that the budget kept from running: what had stopped the run', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't', optional: true }], 'a')
      .add('pressure.changed', { mode: 'economy', pressure: 0.72, dimension: 'tokens' })
      .add('node.skipped', { node: 'a', reason: 'pressure' })
      .build();
    expect(lines(events, 'a').slice(1)).toEqual([
      '#1  plan 1 calls for it and makes it the output; it needs no other node, and may fail',
      '#3  it was skipped: it is optional, and the budget was pressed',
      '#2  the run had used 72 % of its tokens and went on in mode economy',
    ]);
  });

  it('that the run does not know', () => {
    expect(() => explain(cityCompare(), 'pariss')).toThrow(
      expect.objectContaining({ code: 'usage', hint: 'Did you mean "paris"?' }) as Error,
    );
  });
});

describe('explain a run', () => {
  it('that is verified', () => {
    expect(lines(cityCompare())).toEqual([
      '#20  run 20261130-070000-000-aaaa is verified: the verdict is a pass',
      ' #4  plan 1 was accepted: 3 nodes',
      '#18  the run had used 80 % of its tokens and went on in mode economy',
      '#19  the critic judged "report": pass (judge, score 0.9)',
    ]);
  });

  it('that failed: what its output lacked, down to the root cause', () => {
    expect(lines(failedRun())).toEqual([
      '#11  run 20261130-070000-000-aaaa failed: the output node "report" is not done',
      ' #4  plan 1 was accepted: 3 nodes',
      ' #8  "atlantis" failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
      '#10  the output node "report" is skipped, because it needs "summary"',
      ' #9  "summary" had been skipped, as it needs "atlantis"',
      ' #8  "atlantis" had failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
    ]);
  });

  it('that was planned anew', () => {
    expect(lines(replannedRun())).toEqual([
      '#21  run 20261130-070000-000-aaaa is verified: the verdict is a pass',
      ' #4  plan 1 was accepted: 3 nodes',
      ' #9  "atlantis" failed: no city named "Atlantis" (missing_info, MISSING_INFO)',
      '#11  the rest of the plan was drawn anew, because "atlantis" failed',
      '#14  a plan was refused: not_json: the answer holds no JSON',
      '#17  plan 2 was accepted: 2 nodes, keeping the results of "paris"',
      '#20  the critic judged "report": pass (judge, score 0.9)',
    ]);
  });

  it('that was interrupted', () => {
    expect(lines(interruptedRun())).toEqual([
      '     run 20261130-070000-000-aaaa was interrupted and can be resumed',
      ' #4  plan 1 was accepted: 2 nodes',
      ' #9  the run was asked to end: Ctrl-C',
      '#11  the run was interrupted',
      '     the output node "report" is pending',
    ]);
  });

  it('that waits for a person', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'mail', tool: 'send_mail' }], 'mail')
      .add('approval.requested', {
        question: 'consent',
        node: 'mail',
        tool: 'send_mail',
        args: {},
        argsHash: 'h',
        plan: 'p',
      })
      .finish('waiting', 'an approval is owed')
      .build();
    expect(lines(events).slice(2)).toEqual([
      '    the output node "mail" is waiting',
      '#2  "mail" (send_mail) waits for approval',
    ]);
  });

  it('of which many nodes failed, by the first of them', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const builder = new FlightBuilder().start().plan(
      ids.map((id) => ({ id, tool: 't', optional: true })),
      'n0',
    );
    for (const node of ids) builder.add('node.failed', { node, failure: NO_ATLANTIS });
    const text = lines(builder.build());
    expect(text.filter((line) => line.includes('" failed: '))).toHaveLength(20);
    expect(text).toContain('     30 more nodes failed');
  });
});
