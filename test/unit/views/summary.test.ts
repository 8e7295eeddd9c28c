import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../../src/run/evolve.ts';
import { readRun } from '../../../src/views/read-run.ts';
import { nodeRows, summarizeRun } from '../../../src/views/summary.ts';
import { FlightBuilder, LOG_START_MS } from '../../support/flight-builder.ts';
import {
  cityCompare,
  failedRun,
  foreachRun,
  interruptedRun,
  replannedRun,
  resumedRun,
  retriedRun,
} from '../../support/flight-scenarios.ts';

describe('summarizeRun', () => {
  it('sums a run up', () => {
    expect(summarizeRun(cityCompare())).toEqual({
      runId: '20261130-070000-000-aaaa',
      name: 'city-compare',
      goal: 'Compare the cities',
      status: 'verified',
      reason: 'the verdict is a pass',
      startedAtMs: LOG_START_MS,
      lastEventAtMs: LOG_START_MS + 393,
      elapsedMs: 393,
      planVersion: 1,
      nodes: new Map([['done', 3]]),
      usageByRole: [
        { name: 'planner', calls: 1, inputTokens: 200, outputTokens: 50, costMicroUsd: null },
        { name: 'aggregator', calls: 1, inputTokens: 300, outputTokens: 90, costMicroUsd: null },
        { name: 'critic', calls: 1, inputTokens: 150, outputTokens: 10, costMicroUsd: null },
      ],
      usageByModel: [
        { name: 'mock-1', calls: 2, inputTokens: 500, outputTokens: 140, costMicroUsd: null },
        { name: 'judge-1', calls: 1, inputTokens: 150, outputTokens: 10, costMicroUsd: null },
      ],
      tokens: 800,
      modelCalls: 3,
      toolCalls: 3,
      costMicroUsd: null,
      pressure: 0.8,
      pressureDimension: 'tokens',
      mode: 'economy',
      verdict: {
        ...{ outcome: 'pass', tier: 'judge', score: 0.9, reasons: [] },
        checks: [{ name: 'includes Paris', ok: true, message: 'looked for Paris' }],
      },
      output: '# Paris and Osaka',
      partial: null,
    });
  });

  it('counts no downtime, and settles what a crash left open at what it had reserved', () => {
    const summary = summarizeRun(resumedRun());
    expect(summary).toMatchObject({ status: 'unverified', elapsedMs: 105, tokens: 1110, toolCalls: 4 });
    expect(summary.lastEventAtMs - summary.startedAtMs).toBe(3_600_105);
  });

  it('says of a run without an ending that it runs', () => {
    const events = cityCompare().slice(0, -1);
    expect(summarizeRun(events)).toMatchObject({ status: 'running', reason: null, output: null });
    expect(summarizeRun(interruptedRun()).status).toBe('interrupted');
  });

  it('knows the cost where every model has a price', () => {
    const prices = { 'mock-1': { inputPerMTok: 3, outputPerMTok: 15 } };
    const builder = new FlightBuilder().start({ prices }).call('plan/1', 'planner');
    expect(summarizeRun(builder.build()).costMicroUsd).toBe(450);
    builder.call('judge/1', 'critic', { model: 'unpriced' });
    expect(summarizeRun(builder.build()).costMicroUsd).toBeNull();
  });

  it('gives the list of a foreach node as the output', () => {
    expect(summarizeRun(foreachRun()).output).toEqual([1, 2]);
  });

  it.each([
    ['a verified run', cityCompare()],
    ['a retry', retriedRun()],
    ['a replan', replannedRun()],
    ['a resumption', resumedRun()],
  ])('keeps the same books as the run itself: %s', (_, events) => {
    expect(readRun(events).ledger).toEqual(foldEvents(events).ledger);
  });

  it('refuses a log that does not begin with its start', () => {
    expect(() => summarizeRun(cityCompare().slice(1))).toThrow('the log does not begin with run.started');
  });
});

describe('nodeRows', () => {
  const brief = (rows: ReturnType<typeof nodeRows>) =>
    rows.map(({ id, status, attempts, startMs, durationMs, errorCode, note }) =>
      [id, status, attempts, startMs, durationMs, errorCode ?? note].join(' '),
    );

  it.each([
    ['a retry', retriedRun(), ['paris done 3 302 360 ']],
    [
      'a failure',
      failedRun(),
      [
        'atlantis failed 1 12 8 missing_info',
        'summary skipped 0   needs atlantis',
        'report skipped 0   needs summary',
      ],
    ],
    [
      'a foreach',
      foreachRun(),
      ['cities done 1 12 5 ', 'each done 0   ', 'each[0] done 1 17 10 ', 'each[1] done 2 17 75 '],
    ],
    [
      'a replan',
      replannedRun(),
      ['paris done 1 32 10 ', 'report done 1 118 20 ', 'atlantis superseded 1 32 15 missing_info'],
    ],
    ['an interruption', interruptedRun(), ['paris cancelled 1 12 51 ', 'report pending 1 12 53 ']],
  ])('of a run with %s', (_, events, expected) => {
    expect(brief(nodeRows(events))).toEqual(expected);
  });

  it('names what a node that was never called was refused for, waits for or took over', () => {
    const hash = 'h';
    const events = new FlightBuilder()
      .start()
      .plan(
        ['a', 'b', 'c', 'd'].map((id) => ({ id, tool: 't' })),
        'd',
      )
      .nodeRun('a', 1)
      .add('node.reused', { node: 'b', from: 'a', digest: hash })
      .add('node.refused', { node: 'c', by: 'budget', reason: 'toolCalls: 1 of 1 used' })
      .add('approval.requested', {
        question: 'consent',
        node: 'd',
        tool: 't',
        args: {},
        argsHash: hash,
        plan: hash,
      })
      .build();
    expect(brief(nodeRows(events))).toEqual([
      'a done 1 0 1 ',
      'b done 0   same as a',
      'c refused 0   budget: toolCalls: 1 of 1 used',
      'd waiting 0   ',
    ]);
  });
});
