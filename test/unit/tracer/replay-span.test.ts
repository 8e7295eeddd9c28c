import { describe, expect, it } from 'vitest';
import { buildReplaySpan } from '../../../src/tracer/span-replay.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { cityCompare } from '../../support/flight-scenarios.ts';

const SAME = { events: 30, warnings: ['a changed prompt'], divergence: null };
const TIMES = { startMs: 1000.25, endMs: 1003.5 };

describe('the span of a replay', () => {
  it('is marked, links to its run and stands alone: nothing was called again', () => {
    const [origin] = buildSpans(cityCompare());
    const spans = buildReplaySpan(cityCompare(), SAME, TIMES);
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      ...{ name: 'replay city-compare', kind: 'internal', ...TIMES, status: { code: 'unset' } },
      attributes: {
        ...{ 'sortie.replay': true, 'sortie.replay.events': 30, 'sortie.replay.warnings': 1 },
        'gen_ai.conversation.id': origin?.attributes['sortie.run.id'],
      },
      links: [
        {
          ...{ traceId: origin?.traceId, spanId: origin?.spanId },
          attributes: { 'sortie.link.kind': 'replay_of' },
        },
      ],
    });
    expect(spans[0]?.attributes).not.toHaveProperty('gen_ai.operation.name');
    expect(spans[0]?.traceId).not.toBe(origin?.traceId);
  });

  it('is an error where the replay diverged, and says where', () => {
    const divergence = { seq: 7, type: 'node.started', field: 'args' };
    const [span] = buildReplaySpan(cityCompare(), { ...SAME, divergence }, TIMES);
    expect(span).toMatchObject({
      status: { code: 'error', message: 'replay_diverged' },
      attributes: { 'error.type': 'replay_diverged' },
      events: [{ name: 'sortie.replay.diverged', attributes: { 'sortie.replay.seq': 7 } }],
    });
  });

  it('is another one each time, and lasts', () => {
    const [first] = buildReplaySpan(cityCompare(), SAME, TIMES);
    const [second] = buildReplaySpan(cityCompare(), SAME, { startMs: 2000, endMs: 2000 });
    expect(second?.traceId).not.toBe(first?.traceId);
    expect(second?.endMs).toBe(2000.001);
    expect(buildReplaySpan([], SAME, TIMES)).toEqual([]);
  });
});
