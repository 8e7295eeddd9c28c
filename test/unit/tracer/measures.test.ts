import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../../src/flight/events.ts';
import { orchestrate, resumeTask } from '../../../src/index.ts';
import { type Measurement, measureRun } from '../../../src/tracer/measures.ts';
import { INSTRUMENT } from '../../../src/tracer/semconv.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { echoTool, node } from '../../support/core.ts';
import { flakyTool, planned } from '../../support/composed.ts';

const of = (measurements: readonly Measurement[], instrument: Measurement['instrument']) =>
  measurements.filter((measurement) => measurement.instrument === instrument);

async function runFlaky(): Promise<{ first: FlightEvent[]; second: FlightEvent[] }> {
  const { tool, heal } = flakyTool();
  const { store, options, again } = planned(
    [echoTool(), tool],
    [node('a'), node('b', { tool: 'flaky', deps: ['a'] }), node('c', { deps: ['b'] })],
  );
  await orchestrate({ ...options, task: { ...options.task, budget: { toolCalls: 8, llmCalls: 16 } } });
  const first = [...(await store.read('r1'))];
  heal();
  await resumeTask('r1', { ...again, retryFailed: true });
  return { first, second: [...(await store.read('r1'))] };
}

describe('what a run measures', () => {
  it('are durations, tokens and calls, with the attributes of the conventions', async () => {
    const { first } = await runFlaky();
    const measured = measureRun(first);
    const spans = buildSpans(first);
    const chat = spans.find(({ name }) => name === 'chat');
    expect(of(measured, 'inferenceDuration')).toEqual([
      {
        instrument: 'inferenceDuration',
        value: ((chat?.endMs ?? 0) - (chat?.startMs ?? 0)) / 1000,
        attributes: {
          ...{
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'by-role',
            'gen_ai.response.model': 'm',
          },
        },
      },
    ]);
    expect(of(measured, 'inputTokensPerCall').map(({ value }) => value)).toEqual([10]);
    expect(of(measured, 'inputTokens')[0]).toMatchObject({
      ...{ value: 10, attributes: { 'gen_ai.token.modality': 'unknown' } },
    });
    expect(of(measured, 'toolDuration').map(({ attributes }) => attributes)).toEqual([
      { 'gen_ai.tool.name': 'echo', 'gen_ai.tool.type': 'function', 'gen_ai.agent.name': 'planned' },
      {
        ...{ 'gen_ai.tool.name': 'flaky', 'gen_ai.tool.type': 'function', 'gen_ai.agent.name': 'planned' },
        'error.type': 'tool_failed',
      },
    ]);
    const agent = { 'gen_ai.agent.name': 'planned' };
    expect(of(measured, 'agentDuration')[0]?.attributes).toEqual({ ...agent, 'error.type': 'tool_failed' });
    expect(of(measured, 'agentInferenceCalls')).toEqual([
      { instrument: 'agentInferenceCalls', value: 1, attributes: agent },
    ]);
    expect(of(measured, 'agentToolCalls')[0]?.value).toBe(2);
  });

  it('are the states that nodes ended in and the share of each limit that is used up', async () => {
    const { first } = await runFlaky();
    const measured = measureRun(first);
    const states = of(measured, 'nodes').map(({ value, attributes }) => [
      attributes['sortie.node.state'],
      value,
    ]);
    expect(Object.fromEntries(states)).toEqual({ done: 1, failed: 1, skipped: 1 });
    const shares = of(measured, 'pressure').map(({ value, attributes }) => [
      attributes['sortie.budget.dimension'],
      value,
    ]);
    expect(Object.fromEntries(shares)).toEqual({ toolCalls: 2 / 8, llmCalls: 1 / 16 });
  });

  it('is not measured again when the run goes on elsewhere', async () => {
    const { second } = await runFlaky();
    const measured = measureRun(second);
    expect(of(measured, 'inferenceDuration')).toEqual([]);
    expect(of(measured, 'toolDuration').map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual([
      'flaky',
      'echo',
    ]);
    const states = of(measured, 'nodes').map(({ value, attributes }) => [
      attributes['sortie.node.state'],
      value,
    ]);
    expect(states).toEqual([['done', 2]]);
  });

  it('is nothing for a log without a start', () => {
    expect(measureRun([])).toEqual([]);
  });
});

describe('the buckets', () => {
  it('are those of the conventions', () => {
    expect(INSTRUMENT.inferenceDuration.buckets).toEqual([
      0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
    ]);
    expect(INSTRUMENT.inputTokensPerCall.buckets).toEqual([
      1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864,
    ]);
    expect(INSTRUMENT.agentDuration.buckets?.at(-1)).toBe(409.6);
  });
});
