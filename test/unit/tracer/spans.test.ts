import { describe, expect, it } from 'vitest';
import type { FlightEvent } from '../../../src/flight/events.ts';
import type { Span } from '../../../src/tracer/span.ts';
import { spanIdOf } from '../../../src/tracer/span-ids.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { FlightBuilder, LOG_START_MS } from '../../support/flight-builder.ts';
import { measureGrowth } from '../../support/measure-growth.ts';
import * as scenarios from '../../support/flight-scenarios.ts';
import { drawTree } from './draw-tree.ts';

const RUN_ID = '20261130-070000-000-aaaa';

function spanOf(spans: readonly Span[], key: string): Span {
  const span = spans.find(({ spanId }) => spanId === spanIdOf(RUN_ID, key));
  if (span === undefined) throw new Error(`no span for ${key}`);
  return span;
}

const eventNames = (span: Span | undefined) => span?.events.map(({ name }) => name);

describe('the tree of spans', () => {
  it('of a verified run has plan, tools with their questions, and the critic below the agent', () => {
    expect(drawTree(buildSpans(scenarios.cityCompare()))).toEqual([
      'invoke_agent city-compare 0–393',
      '  plan city-compare 2–103',
      '    chat mock-1 2–102',
      '  execute_tool get_population 104–130',
      '  execute_tool get_population 104–124',
      '  execute_tool aggregate_report 132–340',
      '    chat mock-1 135–335',
      '  invoke_agent critic 341–392',
      '    chat judge-1 341–391',
    ]);
  });

  it('has one span for each attempt and for each try of a model call', () => {
    const spans = buildSpans(scenarios.retriedRun());
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–662',
      '  plan city-compare 2–302',
      '    chat mock-1 2–12 ! model_overloaded',
      '    chat mock-1 262–302',
      '  execute_tool get_population 302–312 ! tool_transient',
      '  execute_tool get_population 412–432 ! tool_transient',
      '  execute_tool get_population 632–662',
    ]);
    expect(spanOf(spans, 'paris/3').links).toEqual([
      {
        traceId: spans[0]?.traceId,
        spanId: spanIdOf(RUN_ID, 'paris/2'),
        attributes: { 'sortie.link.kind': 'retry_of' },
      },
    ]);
  });

  it('of a failed run carries the failure at the attempt and at the root', () => {
    const spans = buildSpans(scenarios.failedRun());
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–22 ! missing_info',
      '  plan city-compare 2–12',
      '    chat mock-1 2–12',
      '  execute_tool get_population 12–20 ! missing_info',
    ]);
    expect(eventNames(spans[0])).toEqual([
      'sortie.level.started',
      'sortie.node.failed',
      'sortie.node.skipped',
      'sortie.node.skipped',
    ]);
  });

  it('names the items of a foreach node after its tool', () => {
    const spans = buildSpans(scenarios.foreachRun());
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–92',
      '  plan city-compare 2–12',
      '    chat mock-1 2–12',
      '  execute_tool list_cities 12–17',
      '  execute_tool get_population 17–27',
      '  execute_tool get_population 17–32 ! tool_transient',
      '  execute_tool get_population 82–92',
    ]);
    expect(spanOf(spans, 'each[1]/2').attributes).toMatchObject({
      'sortie.node.id': 'each[1]',
      'sortie.foreach.node': 'each',
      'sortie.node.attempt': 2,
    });
  });

  it('has a second plan span for a replan, rejected rounds included', () => {
    const spans = buildSpans(scenarios.replannedRun());
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–138',
      '  plan city-compare 2–32',
      '    chat mock-1 2–32',
      '  execute_tool get_population 32–42',
      '  execute_tool get_population 32–47 ! missing_info',
      '  plan city-compare 48–118',
      '    chat mock-1 48–78',
      '    chat mock-1 78–118',
      '  execute_tool aggregate_report 118–138',
    ]);
    const [, second] = spans.filter(({ name }) => name === 'plan city-compare');
    expect(eventNames(second)).toEqual(['sortie.plan.rejected', 'sortie.plan.accepted']);
    expect(second?.events[0]?.attributes).toEqual({ 'sortie.plan.problems': ['not_json'] });
  });

  it('ends what an interruption left open with the log, and says so', () => {
    expect(drawTree(buildSpans(scenarios.interruptedRun()))).toEqual([
      'invoke_agent city-compare 0–65 (unfinished)',
      '  plan city-compare 2–12',
      '    chat mock-1 2–12',
      '  execute_tool get_population 12–63 ! aborted',
      '  execute_tool aggregate_report 12–65 (unfinished)',
      '    chat mock-1 22–65 (unfinished)',
    ]);
  });

  it('counts no downtime to what was lost in a crash, and gives the same key a new span', () => {
    const crashed = scenarios.resumedRun().filter(({ type }) => type !== 'run.interrupted');
    const spans = buildSpans(crashed);
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–63 (unfinished)',
      '  plan city-compare 2–12',
      '    chat mock-1 2–12',
      '  execute_tool get_population 12–63 ! aborted',
      '  execute_tool aggregate_report 12–63 (unfinished)',
      '    chat mock-1 22–63 (unfinished)',
      'invoke_agent city-compare 3600065–3600105',
      '  execute_tool get_population 3600065–3600105',
      '  execute_tool aggregate_report 3600065–3600095',
    ]);
    const resumed = spans[6];
    expect(resumed?.attributes['sortie.run.status']).toBe('unverified');
    expect(resumed?.attributes).not.toHaveProperty('sortie.span.unfinished');
  });

  it('is empty for a log without a start', () => {
    expect(buildSpans([])).toEqual([]);
  });
});

/** The first span of a trace. */
function firstOf(spans: readonly Span[], traceId: string): Span | undefined {
  return spans.find((span) => span.traceId === traceId);
}

describe('every span', () => {
  const logs = Object.entries(scenarios).flatMap(([name, make]): [string, FlightEvent[]][] =>
    typeof make === 'function' ? [[name, make()]] : [],
  );
  const prefixes = logs.flatMap(([name, events]) =>
    events.map((_, count): [string, FlightEvent[]] => [
      `${name} cut at ${count + 1}`,
      events.slice(0, count + 1),
    ]),
  );

  it('lasts, lies within its parent and has an id of its own, wherever the log is cut', () => {
    for (const [name, events] of prefixes) {
      const spans = buildSpans(events);
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      expect(byId.size, name).toBe(spans.length);
      for (const span of spans) {
        expect(span.endMs, name).toBeGreaterThan(span.startMs);
        const parent = span.parentSpanId === undefined ? undefined : byId.get(span.parentSpanId);
        if (parent === undefined) expect(span, name).toBe(firstOf(spans, span.traceId));
        else {
          expect(span.traceId, name).toBe(parent.traceId);
          expect(span.startMs, name).toBeGreaterThanOrEqual(parent.startMs);
          expect(span.endMs, name).toBeLessThanOrEqual(parent.endMs);
        }
      }
    }
  });

  it('lasts a microsecond at least', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .nodeRun('a', 0)
      .build();
    const [root, attempt] = buildSpans(events);
    expect(attempt?.endMs).toBeCloseTo(LOG_START_MS + 0.001, 3);
    expect(root?.endMs).toBe(attempt?.endMs);
  });

  it('is cut off with its parent where its answer comes late', () => {
    const events = new FlightBuilder()
      .start()
      .plan([{ id: 'a', tool: 't' }], 'a')
      .nodeStart('a')
      .ask('a', 1, 1, 'summarizer')
      .request('a/1/1', 'summarizer')
      .wait(10)
      .attemptFailed('a', { code: 'timeout', class: 'TRANSIENT', message: 'took too long' })
      .wait(5)
      .answer('a/1/1')
      .wait(5)
      .build();
    const spans = buildSpans(events);
    expect(drawTree(spans)).toEqual([
      'invoke_agent city-compare 0–15 (unfinished)',
      '  execute_tool t 0–10 ! timeout',
      '    chat mock-1 0–10',
    ]);
    expect(spans[2]?.attributes).toMatchObject({
      'sortie.span.outlasted_parent_ms': 5,
      'gen_ai.usage.input_tokens': 100,
    });
  });

  it('carries usage only where a model was called', () => {
    for (const span of buildSpans(scenarios.cityCompare())) {
      const hasUsage = Object.keys(span.attributes).some((key) => key.startsWith('gen_ai.usage.'));
      expect(hasUsage, span.name).toBe(span.name.startsWith('chat '));
    }
  });
});

describe('attributes', () => {
  const spans = buildSpans(scenarios.cityCompare());

  it('of the root name agent, run and status', () => {
    expect(spans[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': RUN_ID,
      'gen_ai.agent.name': 'city-compare',
      'gen_ai.provider.name': 'mock',
      'sortie.run.id': RUN_ID,
      'sortie.rules.version': 1,
      'sortie.run.status': 'verified',
    });
  });

  it('of a model call follow the conventions', () => {
    const call = spanOf(spans, 'report/1/1');
    expect(call.kind).toBe('client');
    expect(call.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': RUN_ID,
      'gen_ai.provider.name': 'mock',
      'gen_ai.request.model': 'mock-1',
      'gen_ai.response.model': 'mock-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 300,
      'gen_ai.usage.output_tokens': 90,
      'sortie.role': 'aggregator',
      'sortie.node.id': 'report',
      'sortie.effect.key': 'report/1/1',
    });
  });

  it('hold the verdict as an evaluation event of the agent', () => {
    const evaluation = spans[0]?.events.find(({ name }) => name === 'gen_ai.evaluation.result');
    expect(evaluation?.attributes).toEqual({
      'gen_ai.evaluation.name': 'sortie.verdict',
      'gen_ai.evaluation.score.label': 'pass',
      'gen_ai.evaluation.score.value': 0.9,
      'sortie.verdict.tier': 'judge',
    });
  });

  it('say nothing of goal, arguments, results or answers unless asked to', () => {
    const secrets = [
      'Compare the cities',
      '"Paris"',
      '2148000',
      '# Paris and Osaka',
      'an answer',
      'Be brief',
    ];
    const silent = JSON.stringify(spans);
    const open = JSON.stringify(buildSpans(scenarios.cityCompare(), { captureContent: true }));
    for (const secret of secrets) {
      expect(silent).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(open.replaceAll('\\\\', '\\').replaceAll('\\"', '"')).toContain(secret);
    }
    expect(JSON.stringify(buildSpans(scenarios.failedRun()))).not.toContain('Atlantis');
  });

  it('hold content as the conventions have it when asked to', () => {
    const open = buildSpans(scenarios.cityCompare(), { captureContent: true });
    expect(spanOf(open, 'paris/1').attributes).toMatchObject({
      'gen_ai.tool.call.arguments': '{"city":"Paris"}',
      'gen_ai.tool.call.result': '{"population":2148000}',
    });
    expect(spanOf(open, 'report/1/1').attributes).toMatchObject({
      'gen_ai.system_instructions': '[{"content":"Be brief.","type":"text"}]',
      'gen_ai.input.messages': '[{"parts":[{"content":"Write it up: 2148000","type":"text"}],"role":"user"}]',
    });
    expect(open[0]?.attributes['gen_ai.output.messages']).toBe(
      '[{"finish_reason":"stop","parts":[{"content":"# Paris and Osaka","type":"text"}],"role":"assistant"}]',
    );
  });

  it('keep decisive events of a large run and count the minor ones left off', () => {
    const builder = new FlightBuilder().start().plan([{ id: 'a', tool: 't' }], 'a');
    for (let level = 0; level < 1000; level++) builder.add('level.started', { level, nodes: 1 });
    const [root] = buildSpans(builder.verdict('a', 'fail').build());
    expect(root?.events).toHaveLength(129);
    expect(root?.events.at(-1)?.name).toBe('gen_ai.evaluation.result');
    expect(root?.droppedEvents).toBe(873);
  });
});

describe('the trace', () => {
  it('continues the one that the run was started in', () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const spans = buildSpans(new FlightBuilder().start({}, { traceparent }).wait(1).catalogue('t').build());
    expect(spans[0]).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' });
  });

  it('takes time in proportion to the length of the log', () => {
    const prepare = (size: number) => {
      const builder = new FlightBuilder().start().plan([], 'n0');
      for (let index = 0; index < size; index++) builder.nodeStart(`n${index}`).nodeDone(`n${index}`, index);
      const events = builder.build();
      return () => buildSpans(events);
    };
    expect(prepare(20)()).toHaveLength(21);
    expect(measureGrowth(prepare, { size: 500, factor: 10 })).toBeLessThan(40);
  });
});
