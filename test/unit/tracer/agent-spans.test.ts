/* The spans of agents: what they were asked, the models that they asked, the tools that they called. */
import { describe, expect, it } from 'vitest';
import type { TraceCarrier } from '../../../src/contracts/tool.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { measureRun } from '../../../src/tracer/measures.ts';
import { recomputeEffects } from '../../../src/tracer/span-effects.ts';
import { openSegment, traceparentOf } from '../../../src/tracer/span-segment.ts';
import type { Span } from '../../../src/tracer/span.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import { agentRun, calling, eventsOf, familyRun, inTurn } from '../../support/agent-run.ts';
import { echoTool } from '../../support/core.ts';
import { resumedRun } from '../../support/engine-run.ts';
import { readGolden } from '../../support/golden.ts';
import { drawTree } from './draw-tree.ts';

const LOOK = calling({ name: 'look_up', args: { city: 'Rome' } });

/** The tree without its times, which differ. */
const treeOf = (spans: readonly Span[]): string[] =>
  drawTree(spans).map((line) => line.replace(/ -?[\d.e-]+–-?[\d.e-]+/, ''));

const named = (spans: readonly Span[], name: string): Span[] => spans.filter((span) => span.name === name);

describe('the spans of an agent', () => {
  it('stand below its node, those of its child below it', async () => {
    expect(treeOf(buildSpans(await eventsOf(familyRun())))).toEqual([
      'invoke_agent test',
      '  execute_tool delegate',
      '    invoke_agent delegate',
      '      chat',
      '      execute_tool look_up',
      '      invoke_agent delegate',
      '        chat',
      '        execute_tool look_up',
      '        chat',
      '      chat',
    ]);
  });

  it('have the attributes of the conventions, and nothing that was said', async () => {
    const spans = buildSpans(await eventsOf(familyRun()));
    const [parent, child] = named(spans, 'invoke_agent delegate');
    expect(parent?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'delegate',
      'gen_ai.agent.id': 'agent/1',
      'gen_ai.conversation.id': 'test',
      'gen_ai.provider.name': 'given',
      'sortie.effect.key': 'agent/1',
      'sortie.agent.status': 'completed',
      'sortie.agent.reason': 'completed',
    });
    expect(child?.attributes['gen_ai.agent.id']).toBe('agent/1/3');
    expect(named(spans, 'execute_tool look_up')[0]?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.agent.name': 'delegate',
      'gen_ai.conversation.id': 'test',
      'gen_ai.tool.name': 'look_up',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.description': expect.any(String) as string,
      'gen_ai.tool.call.id': 'agent/1/2',
      'sortie.node.attempt': 1,
      'sortie.args.digest': expect.any(String) as string,
    });
    expect(JSON.stringify(spans)).not.toMatch(/Rome|count them|A part|13960000/);
  });

  it('hold task, arguments, results and answer when asked to', async () => {
    const events = await eventsOf(familyRun());
    const spans = buildSpans(events, { captureContent: true, effects: recomputeEffects(events) });
    const [, child] = named(spans, 'invoke_agent delegate');
    const said = (role: string, content: string, more: object = {}): unknown => [
      { role, parts: [{ type: 'text', content }], ...more },
    ];
    const read = (key: string): unknown => JSON.parse(String(child?.attributes[key])) as unknown;
    expect(read('gen_ai.input.messages')).toEqual(said('user', 'count them'));
    expect(read('gen_ai.output.messages')).toEqual(said('assistant', 'A part.', { finish_reason: 'stop' }));
    const looks = named(spans, 'execute_tool look_up').map(({ attributes }) => attributes);
    expect(looks.map((attributes) => attributes['gen_ai.tool.call.arguments'])).toEqual([
      '{"city":"Rome"}',
      '{"city":"Oslo"}',
    ]);
    expect(looks.map((attributes) => attributes['gen_ai.tool.call.result'])).toEqual([
      '{"city":"Rome","population":13960000}',
      '{"city":"Oslo","population":13960000}',
    ]);
  });

  it('are one for each attempt of a call, and each tool is given the context of its own', async () => {
    const carriers: (TraceCarrier | undefined)[] = [];
    const segment = openSegment({ runId: 'test' });
    const busy = echoTool('look_up', {
      input: true,
      run: (_, { trace }) => {
        carriers.push(trace);
        if (carriers.length === 1) throw new OrchestratorError('tool_transient', 'busy');
        return 'found';
      },
    });
    const run = agentRun({ agent: inTurn(LOOK, 'Done.') }, { tools: [busy] });
    const trace = { of: (key: string) => ({ traceparent: traceparentOf(segment, key) }) };
    const spans = buildSpans(await eventsOf({ ...run, ports: { trace } }));
    const looks = named(spans, 'execute_tool look_up');
    expect(looks.map(({ status }) => status)).toEqual([
      { code: 'error', message: 'tool_transient' },
      { code: 'unset' },
    ]);
    expect(carriers.map((carrier) => carrier?.traceparent)).toEqual(
      looks.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
    );
    expect(looks[1]?.links).toMatchObject([
      { spanId: looks[0]?.spanId, attributes: { 'sortie.link.kind': 'retry_of' } },
    ]);
  });

  it('go on in the process after, linked to those that were lost', async () => {
    const events = await eventsOf(familyRun());
    const cut = events.findIndex((event) => event.type === 'call.started' && event.agent === 'agent/1/3');
    const resumed = resumedRun(familyRun(), events.slice(0, cut + 1));
    await resumed.driver.run();
    const spans = buildSpans(resumed.events);
    expect(treeOf(spans)).toEqual([
      'invoke_agent test (unfinished)',
      '  execute_tool delegate (unfinished)',
      '    invoke_agent delegate (unfinished)',
      '      chat',
      '      execute_tool look_up',
      '      invoke_agent delegate (unfinished)',
      '        chat',
      '        execute_tool look_up (unfinished)',
      'invoke_agent test',
      '  execute_tool delegate',
      '    invoke_agent delegate',
      '      invoke_agent delegate',
      '        execute_tool look_up',
      '        chat',
      '      chat',
    ]);
    const last = buildSpans(resumed.events, { isLastSegmentOnly: true });
    const again = last.filter(({ name }) => name !== 'chat');
    const before = (key: string, value: unknown): Span | undefined =>
      spans.find(({ attributes, traceId }) => attributes[key] === value && traceId === spans[0]?.traceId);
    expect(again.map(({ links }) => links[0]?.spanId)).toEqual([
      spans[0]?.spanId,
      before('gen_ai.tool.call.id', 'agent/1')?.spanId,
      before('gen_ai.agent.id', 'agent/1')?.spanId,
      before('gen_ai.agent.id', 'agent/1/3')?.spanId,
      before('gen_ai.tool.call.id', 'agent/1/3/2')?.spanId,
    ]);
    expect(again.slice(1, 4).map(({ links }) => links[0]?.attributes['sortie.link.kind'])).toEqual([
      ...['resumes', 'resumes', 'resumes'],
    ]);
  });

  it('hold what their calls logged, and what made them stop', async () => {
    const spans = buildSpans(await readGolden('agent-laborious-v1'));
    const namesOf = (span: Span | undefined): string[] => (span?.events ?? []).map(({ name }) => name);
    const looks = named(spans, 'execute_tool look');
    expect(looks.flatMap(namesOf)).toContain('sortie.tool.logged');
    const dull = spans.find(({ attributes }) => attributes['gen_ai.agent.id'] === 'dull/1');
    expect(namesOf(dull)).toContain('sortie.agent.stopped');
    expect(namesOf(spans[0])).not.toContain('sortie.agent.stopped');
    const [asked] = (spans[0]?.events ?? []).filter(({ name }) => name === 'sortie.approval.requested');
    expect(asked?.attributes).toMatchObject({ 'sortie.effect.key': 'work/1/17', 'gen_ai.tool.name': 'send' });
    expect(asked?.attributes).not.toHaveProperty('sortie.node.id');
  });

  it('of a session are one for each exchange, the interrupted one an error', async () => {
    expect(treeOf(buildSpans(await readGolden('agent-session-v1')))).toEqual([
      'invoke_agent chat (unfinished)',
      '  invoke_agent chat ! aborted',
      '    chat',
      '    execute_tool hangs ! aborted',
      '  invoke_agent chat',
      '    chat',
      '    execute_tool look_up',
      '    chat',
    ]);
  });

  it('have none for a call that a hook changed before it was made', async () => {
    for (const golden of ['hook-changed-v1', 'hook-changed-agent-v1'] as const) {
      const events = await readGolden(golden);
      const spans = buildSpans(events, { captureContent: true, effects: recomputeEffects(events) });
      const sent = named(spans, 'execute_tool send').map(
        ({ attributes }) => attributes['gen_ai.tool.call.arguments'],
      );
      expect(sent).toEqual(['{"to":"the archive"}']);
    }
  });

  it('tell of what they remember and what they keep, but not of every search without a find', async () => {
    const memory = {
      recall: () => Promise.resolve({ text: 'Rome was not built in a day.', included: [], warnings: [] }),
    };
    const run = agentRun({ agent: inTurn('Done.') });
    const found = buildSpans(await eventsOf({ ...run, ports: { memory: memory } }));
    expect(treeOf(found)).toContain('      search_memory');
    expect(treeOf(buildSpans(await eventsOf(run)))).not.toContain('      search_memory');
    const kept = named(buildSpans(await readGolden('agent-laborious-v1')), 'upsert_memory');
    expect(kept.length).toBeGreaterThan(0);
    expect(kept[0]?.attributes['gen_ai.memory.record.count']).toEqual(expect.any(Number));
  });
});

describe('what agents measure', () => {
  it('are their durations, and the calls that each of them made itself', async () => {
    const measured = measureRun(await eventsOf(familyRun()));
    const of = (instrument: string) =>
      measured
        .filter((measurement) => measurement.instrument === instrument)
        .map(({ value, attributes }) => [attributes['gen_ai.agent.name'], value]);
    expect(of('agentDuration').map(([name]) => name)).toEqual(['test', 'delegate', 'delegate']);
    expect(of('agentInferenceCalls')).toEqual([
      ['test', 0],
      ['delegate', 2],
      ['delegate', 2],
    ]);
    expect(of('agentToolCalls')).toEqual([
      ['test', 1],
      ['delegate', 1],
      ['delegate', 1],
    ]);
    const tools = measured.filter(({ instrument }) => instrument === 'toolDuration');
    expect(tools.map(({ attributes }) => attributes['gen_ai.tool.name'])).toEqual([
      ...['delegate', 'look_up', 'look_up'],
    ]);
  });
});
