import { describe, expect, it } from 'vitest';
import type { EventOf } from '../../../src/flight/events.ts';
import { hashJson } from '../../../src/kernel/hash.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { type MemoryRecord, memoryRecordSchema } from '../../../src/contracts/memory.ts';
import { rememberRun } from '../../../src/memory/remember.ts';
import type { RememberedEvents, RunEvent } from '../../../src/memory/run-events.ts';

/** The log's own events, as far as they are read from: a type error here says that they have other fields. */
type LogEvent = {
  [Type in keyof RememberedEvents]: EventOf<Type> extends RememberedEvents[Type] ? Type : never;
};

const event = (type: LogEvent[keyof LogEvent], fields: object, at = 1): RunEvent => ({ type, at, ...fields });
const node = (id: string, tool: string, args: Json, deps: string[] = []) => ({ id, tool, args, deps });
const started = event('run.started', { runId: 'r1', goal: 'Compare Tokyo and Atlantis' });
const planned = event('plan.accepted', {
  plan: {
    nodes: [
      node('report', 'aggregate', {}, ['a', 'b']),
      node('a', 'get_population', { city: 'Tokyo' }),
      node('b', 'get_population', { city: 'Atlantis' }),
    ],
    output: 'report',
  },
});
const done = (id: string, value: Json, at = 2): RunEvent =>
  event('node.done', { node: id, value, attempt: 1 }, at);
const factId = (text: string): string => `fact/${hashJson(text).slice(0, 32)}`;
const nodesOf = (records: readonly MemoryRecord[]) => records.map(({ provenance }) => provenance.node);
const finished = (status: string, reason = ''): RunEvent => event('run.finished', { status, reason }, 9);

describe('what is remembered of a run', () => {
  it('is one episode, and a fact for each result', () => {
    const records = rememberRun(
      [
        started,
        event('model.answered', { key: 'plan/1', answer: { usage: { inputTokens: 100, outputTokens: 20 } } }),
        planned,
        event('node.started', { node: 'a' }),
        done('a', { population: 37_400_068 }, 5),
        event('node.started', { node: 'b' }),
        event('node.failed', {
          node: 'b',
          failure: { code: 'missing_info', class: 'MISSING_INFO', message: 'no city "Atlantis"' },
        }),
        event('replan.started', { reason: 'node_failed', failed: ['b'], issues: [] }),
        done('report', 'Tokyo has 37400068 inhabitants.', 6),
        event('verdict.reached', { verdict: { outcome: 'pass', tier: 'checks', checks: [], reasons: [] } }),
        finished('verified'),
      ],
      { costMicroUsd: 12 },
    );
    expect(records).toEqual([
      {
        tier: 'episodic',
        id: 'r1/episode',
        text: [
          'Compare Tokyo and Atlantis',
          'ended verified',
          'failed: get_population: no city "Atlantis" (missing_info)',
          'plan: get_population ×2 → aggregate',
        ].join('\n'),
        provenance: { at: 9, run: 'r1' },
        episode: {
          goal: 'Compare Tokyo and Atlantis',
          shape: 'get_population ×2 → aggregate',
          failures: [
            { node: 'b', tool: 'get_population', code: 'missing_info', message: 'no city "Atlantis"' },
          ],
          status: 'verified',
          reasons: [],
          replans: 1,
          tokens: 120,
          toolCalls: 2,
          costMicroUsd: 12,
        },
      },
      {
        tier: 'semantic',
        id: factId('get_population {"city":"Tokyo"}: {"population":37400068}'),
        text: 'get_population {"city":"Tokyo"}: {"population":37400068}',
        figures: [{ kind: 'number', text: '37400068', field: 'population' }],
        provenance: { at: 5, run: 'r1', node: 'a', tool: 'get_population' },
      },
      {
        tier: 'semantic',
        id: factId('aggregate: Tokyo has 37400068 inhabitants.'),
        text: 'aggregate: Tokyo has 37400068 inhabitants.',
        figures: [{ kind: 'number', text: '37400068 inhabitants' }],
        provenance: { at: 6, run: 'r1', node: 'report', tool: 'aggregate' },
      },
    ]);
    for (const record of records) expect(memoryRecordSchema.parse(record)).toEqual(record);
  });

  it('counts the calls that agents make, and not the nodes whose work they do nor what they hand on', () => {
    const [record] = rememberRun([
      started,
      planned,
      event('node.started', { node: 'a', agent: 'delegate' }),
      event('call.started', { agent: 'a/1', key: 'a/1/2', tool: 'look_up' }),
      event('call.amended', { agent: 'a/1', key: 'a/1/2', by: 'hook', args: {} }),
      event('call.started', { agent: 'a/1', key: 'a/1/2', tool: 'look_up' }),
      event('call.started', { agent: 'a/1', key: 'a/1/3', tool: 'delegate' }),
      event('call.started', { agent: 'a/1/3', key: 'a/1/3/2', tool: 'look_up' }),
      event('node.started', { node: 'b' }),
      event('node.amended', { node: 'b', by: 'hook' }),
      event('node.started', { node: 'b' }),
      finished('verified'),
    ]);
    expect(record).toMatchObject({ episode: { toolCalls: 3 } });
  });

  it('holds what the calls of agents found, and what failed of them in the end, each with its call', () => {
    const failure = { code: 'tool_failed', class: 'TRANSIENT', message: 'busy' };
    const usage = { inputTokens: 1, outputTokens: 1 };
    const asked = [
      { id: 'c0', name: 'look_up', args: { city: 'Lima' } },
      { id: 'c1', name: 'fetch', args: { url: 'x' } },
    ];
    const calls = [
      { key: 'a/1/2', tool: 'look_up' },
      { key: 'a/1/3', tool: 'fetch' },
    ];
    const records = rememberRun([
      started,
      planned,
      event('model.answered', { key: 'a/1/1#2', answer: { usage, toolCalls: asked } }),
      event('turn.read', { agent: 'a/1', calls }),
      event('call.started', { agent: 'a/1', key: 'a/1/2', tool: 'look_up' }),
      event('call.failed', { agent: 'a/1', key: 'a/1/2', failure }),
      event('call.started', { agent: 'a/1', key: 'a/1/3', tool: 'fetch' }),
      event('call.started', { agent: 'a/1', key: 'a/1/2', tool: 'look_up' }),
      event('call.returned', { agent: 'a/1', key: 'a/1/2', value: '1.4 MB' }, 4),
      event('call.failed', { agent: 'a/1', key: 'a/1/3', failure }),
      finished('verified'),
    ]);
    expect(records).toMatchObject([
      { episode: { failures: [{ node: 'a/1/3', tool: 'fetch', code: 'tool_failed', message: 'busy' }] } },
      {
        text: 'look_up {"city":"Lima"}: 1.4 MB',
        figures: [{ text: '1.4 MB' }],
        provenance: { at: 4, run: 'r1', node: 'a/1/2', tool: 'look_up' },
      },
    ]);
  });

  it('does not hold a rejected answer to be a fact, but says why it was rejected', () => {
    const verdict = { outcome: 'fail', tier: 'checks', checks: [], reasons: ['Lima is not named'] };
    const records = rememberRun([
      started,
      planned,
      done('a', 1),
      done('report', 'wrong'),
      event('verdict.reached', { verdict }),
      finished('rejected', 'Lima is not named'),
    ]);
    expect(nodesOf(records)).toEqual([undefined, 'a']);
    expect(records[0]).toMatchObject({ episode: { status: 'rejected', reasons: ['Lima is not named'] } });
  });

  it('knows the items of a foreach by their node', () => {
    const records = rememberRun([started, planned, done('a[1]', 5), finished('verified')]);
    expect(records[1]).toMatchObject({ provenance: { node: 'a[1]', tool: 'get_population' } });
  });

  it('keeps figures that its text has no room for', () => {
    const value = `${'words '.repeat(200)}and 1.4 MB`;
    const [, fact] = rememberRun([started, planned, done('a', value), finished('verified')]);
    expect(fact?.text).not.toContain('1.4 MB');
    expect(fact?.text.length).toBeLessThanOrEqual(600);
    expect(fact).toMatchObject({ figures: [{ kind: 'number', text: '1.4 MB' }] });
  });

  it('keeps no part of a credential as a figure, nor of one that its text is cut in', () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
    const pem = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`;
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const remembered = (value: Json): string =>
      JSON.stringify(rememberRun([started, planned, done('a', value), finished('verified')]));
    expect(remembered({ pem, size: '1.4 MB' })).not.toContain(body);
    expect(remembered({ pem, size: '1.4 MB' })).toContain('1.4 MB');
    expect(remembered(`it is\n${pem}`)).not.toContain(body);
    expect(remembered({ api_key: 'a1b2c3d4e5f6a7b8c9d0' })).not.toContain('a1b2c3d4e5f6a7b8c9d0');
    for (let length = 480; length < 600; length += 3)
      expect(remembered(`${'x '.repeat(length / 2)}${token}`)).not.toContain('ghp_');
  });

  it('keeps figures as they stand in a result, whatever JSON writes for them', () => {
    const [, fact] = rememberRun([
      started,
      planned,
      done('a', { path: 'src\\main.ts:12', note: '"v1.2.3" of 2026-01-02' }),
      finished('verified'),
    ]);
    expect(fact).toMatchObject({
      figures: expect.arrayContaining([{ kind: 'version', text: 'v1.2.3', field: 'note' }]) as object,
    });
  });

  it('masks what looks like a credential', () => {
    const secret = `sk-ant-${'a1B2'.repeat(8)}`;
    const failure = { code: 'tool_failed', class: 'PERMANENT', message: `refused ${secret}` };
    const records = rememberRun([
      event('run.started', { runId: 'r1', goal: `use ${secret}` }),
      planned,
      done('a', { key: secret }),
      event('node.failed', { node: 'b', failure }),
      finished('failed', `bad ${secret}`),
    ]);
    expect(records).toHaveLength(2);
    expect(JSON.stringify(records)).not.toContain(secret);
  });

  it('is bounded', () => {
    const many = Array.from({ length: 500 }, (_value, index) => done(`a[${index}]`, index));
    const events = [started, planned, ...many, finished('verified')];
    expect(rememberRun(events)).toHaveLength(101);
    expect(nodesOf(rememberRun(events, { mostFacts: 2 }))).toEqual([undefined, 'a[498]', 'a[499]']);
    expect(rememberRun(events, { mostFacts: 0 })).toHaveLength(1);
  });

  it('is what stands when the run ended early, and is replaced once it has ended', () => {
    const early = [started, planned, done('a', 1), event('run.interrupted', {}, 7)];
    const [episode, fact] = rememberRun(early);
    expect(episode).toMatchObject({ provenance: { at: 7 }, episode: { status: 'interrupted', reasons: [] } });
    expect(fact).toMatchObject({ provenance: { node: 'a' } });
    const resumed = [...early, event('run.resumed', { rules: 1 })];
    expect(rememberRun(resumed)).toEqual([]);
    const [replaced] = rememberRun([...resumed, finished('verified')]);
    expect(replaced).toMatchObject({ id: episode?.id, episode: { status: 'verified', reasons: [] } });
  });

  it('is what a fork did itself, not what it took over', () => {
    const forked = event('run.forked', { runId: 'r2', overrides: { goal: 'Compare Lima' } });
    const records = rememberRun([
      started,
      planned,
      event('node.started', { node: 'a' }),
      done('a', 1),
      forked,
      event('node.started', { node: 'b' }),
      done('b', 2),
      finished('verified'),
    ]);
    expect(nodesOf(records)).toEqual([undefined, 'b']);
    expect(records[0]).toMatchObject({ id: 'r2/episode', episode: { goal: 'Compare Lima', toolCalls: 1 } });
  });

  it('knows what is found again by the later run alone', () => {
    const other = event('run.started', { runId: 'r2', goal: 'Again' });
    const [, first] = rememberRun([started, planned, done('a', 1), finished('verified')]);
    const [, second] = rememberRun([other, planned, done('a', 1), finished('verified')]);
    expect(second?.id).toBe(first?.id);
  });

  it('is nothing of a run that has not ended', () => {
    expect(rememberRun([])).toEqual([]);
    expect(rememberRun([started, planned, done('a', 1)])).toEqual([]);
  });
});
