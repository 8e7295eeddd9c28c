import { afterEach, describe, expect, it } from 'vitest';
import type { TraceCarrier } from '../../../src/contracts/tool.ts';
import { MemoryRunStore } from '../../../src/flight/memory-log.ts';
import { OrchestratorError } from '../../../src/kernel/errors.ts';
import { forkTask, orchestrate, type RunOptions, resumeTask, type Tool } from '../../../src/index.ts';
import { buildSpans } from '../../../src/tracer/spans.ts';
import type { Span } from '../../../src/tracer/span.ts';
import { aloneTask, calling, inTurn, speaking } from '../../support/agent-run.ts';
import { echoTool, node } from '../../support/core.ts';
import { planned } from '../../support/composed.ts';
import { type HostTelemetry, installHostTelemetry } from '../../support/host-telemetry.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';

/** A tool that notes the trace context that it is given. */
function carried(options: Parameters<typeof echoTool>[1] = {}): {
  tool: Tool;
  carriers: (TraceCarrier | undefined)[];
} {
  const carriers: (TraceCarrier | undefined)[] = [];
  const tool = echoTool('note', {
    run: (_, { trace }) => {
      carriers.push(trace);
      return 'noted';
    },
    ...options,
  });
  return { tool, carriers };
}

const traceparentOf = ({ traceId, spanId }: Span | { traceId: string; spanId: string }) =>
  `00-${traceId}-${spanId}-01`;

async function runOnce(env: RunOptions['env'], tool: Tool) {
  const { store, options } = planned([tool], [node('a', { tool: 'note' })]);
  await orchestrate({ ...options, ...(env === undefined ? {} : { env }) });
  return { events: await store.read('r1'), spans: buildSpans(await store.read('r1')) };
}

describe('the trace context of a tool call', () => {
  it('names the span that is built for the call afterwards', async () => {
    const { tool, carriers } = carried();
    const { spans } = await runOnce({}, tool);
    const call = spans.find(({ name }) => name === 'execute_tool note');
    expect(carriers).toEqual([{ traceparent: traceparentOf(call as Span) }]);
  });

  it('continues the trace that the run was called in, its state included', async () => {
    const { tool, carriers } = carried();
    const env = { TRACEPARENT: `00-${TRACE}-${CALLER}-01`, TRACESTATE: 'vendor=1' };
    const { spans } = await runOnce(env, tool);
    expect(spans[0]).toMatchObject({ traceId: TRACE, parentSpanId: CALLER });
    expect(carriers[0]?.traceparent).toContain(TRACE);
    expect(carriers[0]?.traceparent).not.toContain(CALLER);
    expect(carriers[0]?.tracestate).toBe('vendor=1');
  });

  it('says that nobody records where the caller says so', async () => {
    const { tool, carriers } = carried();
    await runOnce({ TRACEPARENT: `00-${TRACE}-${CALLER}-00` }, tool);
    expect(carriers[0]?.traceparent).toMatch(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  it('is the caller’s own where tracing is turned off, and none where nobody called', async () => {
    const { tool, carriers } = carried();
    const traceparent = `00-${TRACE}-${CALLER}-01`;
    await runOnce({ OTEL_SDK_DISABLED: 'true', TRACEPARENT: traceparent }, tool);
    await runOnce({ OTEL_SDK_DISABLED: 'true' }, tool);
    expect(carriers).toEqual([{ traceparent }, undefined]);
  });

  it('leaves a caller’s context that is none out of the log', async () => {
    const { tool } = carried();
    const { events } = await runOnce({ TRACEPARENT: 'nonsense' }, tool);
    expect(events[0]).not.toHaveProperty('traceparent');
  });
});

describe('a run of several processes', () => {
  it('has a trace for each, linked to the one before, and the context in hand names it', async () => {
    const interrupt = new AbortController();
    const { tool, carriers } = carried();
    const slow = echoTool('slow', {
      run: (_, { signal }) =>
        new Promise((resolve, reject) => {
          if (interrupt.signal.aborted) resolve('done');
          signal.addEventListener('abort', () => reject(new Error('aborted')));
          setTimeout(() => interrupt.abort(), 1);
        }),
    });
    const { store, options, again } = planned(
      [tool, slow],
      [node('a', { tool: 'slow' }), node('b', { tool: 'note', deps: ['a'] })],
    );
    await orchestrate({ ...options, signal: interrupt.signal });
    const env = { TRACEPARENT: `00-${TRACE}-${CALLER}-01` };
    await resumeTask('r1', { ...again, env });
    const events = await store.read('r1');
    const spans = buildSpans(events);
    const roots = spans.filter(({ name }) => name === 'invoke_agent planned');
    expect(roots.map(({ traceId }) => traceId)).toEqual([roots[0]?.traceId, TRACE]);
    expect(roots[0]?.traceId).not.toBe(TRACE);
    expect(roots[1]).toMatchObject({
      parentSpanId: CALLER,
      links: [
        {
          ...{ traceId: roots[0]?.traceId, spanId: roots[0]?.spanId },
          attributes: { 'sortie.link.kind': 'resumes' },
        },
      ],
    });
    const noted = spans.find(({ name }) => name === 'execute_tool note');
    expect(carriers).toEqual([{ traceparent: traceparentOf(noted as Span) }]);
    const last = buildSpans(events, { isLastSegmentOnly: true });
    expect(last.map(({ name }) => name)).toEqual([
      'invoke_agent planned',
      'execute_tool slow',
      'execute_tool note',
    ]);
  });

  it('keeps what a fork took over in the traces of its origin', async () => {
    const { tool, carriers } = carried();
    const { store, options, again } = planned(
      [tool, echoTool()],
      [node('a'), node('b', { tool: 'note', deps: ['a'] })],
    );
    await orchestrate(options);
    await forkTask('r1', { ...again, at: 'b', runId: 'r2' });
    const [origin] = buildSpans(await store.read('r1'));
    const forked = buildSpans(await store.read('r2'));
    expect(forked.map(({ name }) => name)).toEqual(['invoke_agent planned', 'execute_tool note']);
    expect(forked[0]?.attributes['gen_ai.conversation.id']).toBe('r2');
    expect(forked[0]?.links).toEqual([
      {
        ...{ traceId: origin?.traceId, spanId: origin?.spanId },
        attributes: { 'sortie.link.kind': 'forked_from' },
      },
    ]);
    expect(carriers[1]).toEqual({ traceparent: traceparentOf(forked[1] as Span) });
  });
});

describe('in a program with a tracer provider of its own', () => {
  let host: HostTelemetry | null = null;
  afterEach(() => {
    host?.remove();
    host = null;
  });

  it('gives it the spans, below the one that is active, at the times of the log', async () => {
    host = installHostTelemetry();
    const { tool, carriers } = carried();
    const { store, options } = planned([tool], [node('a', { tool: 'note' })]);
    const caller = await host.inSpan('request', () => orchestrate({ ...options, env: {} }));
    const spans = host.finished();
    expect(host.drawTree(spans)).toEqual([
      'request',
      '  invoke_agent planned',
      '    plan planned',
      '      chat',
      '    execute_tool note',
    ]);
    const events = await store.read('r1');
    const built = buildSpans(events);
    const call = spans.find(({ name }) => name === 'execute_tool note');
    expect(carriers).toEqual([{ traceparent: traceparentOf(call?.spanContext() ?? built[0]!) }]);
    expect(events[0]).toMatchObject({ traceparent: traceparentOf(caller) });
    for (const { name, startMs, endMs } of built.slice(1)) {
      const sent = spans.find((span) => span.name === name);
      expect(host.timesOf(sent)).toEqual([startMs, endMs]);
    }
    expect(call?.attributes).toEqual(built.at(-1)?.attributes);
  });

  it('lets what a tool does be traced below its call, and records figures with its meter', async () => {
    host = installHostTelemetry();
    const { inSpan } = host;
    const tool = echoTool('note', {
      run: () => inSpan('query', () => Promise.resolve('found')).then(() => 1),
    });
    const { options } = planned([tool], [node('a', { tool: 'note' })]);
    await orchestrate({ ...options, env: {} });
    expect(host.drawTree(host.finished())).toEqual([
      'invoke_agent planned',
      '  plan planned',
      '    chat',
      '  execute_tool note',
      '    query',
    ]);
    expect(await host.metricNames()).toContain('gen_ai.execute_tool.duration');
  });

  it('has agents with what their tools do below them, each attempt with a context of its own', async () => {
    host = installHostTelemetry();
    const { inSpan } = host;
    const carriers: (TraceCarrier | undefined)[] = [];
    const tool = echoTool('note', {
      input: true,
      run: async (_, { trace }) => {
        carriers.push(trace);
        await inSpan('query', () => Promise.resolve());
        if (carriers.length === 1) throw new OrchestratorError('tool_transient', 'busy');
        return 'noted';
      },
    });
    const provider = speaking({ agent: inTurn(calling({ name: 'note', args: {} }), 'Noted.') });
    const given = { task: aloneTask, tools: [tool], provider, workspace: '/', env: {} };
    await orchestrate({ ...given, store: new MemoryRunStore(), memory: null });
    const spans = host.finished();
    expect(host.drawTree(spans)).toEqual([
      'invoke_agent alone',
      '  execute_tool delegate',
      '    invoke_agent delegate',
      '      chat',
      '      execute_tool note',
      '        query',
      '      execute_tool note',
      '        query',
      '      chat',
    ]);
    const calls = spans.filter(({ name }) => name === 'execute_tool note');
    expect(carriers).toEqual(calls.map((span) => ({ traceparent: traceparentOf(span.spanContext()) })));
  });

  it('carries errors, events and links over', async () => {
    host = installHostTelemetry();
    const tool = echoTool('note', {
      run: () => {
        throw new Error('out of order');
      },
    });
    const { options } = planned([tool], [node('a', { tool: 'note' })]);
    expect((await orchestrate({ ...options, env: {} })).status).toBe('failed');
    const [root] = host.finished().filter(({ name }) => name === 'invoke_agent planned');
    expect(root?.status).toEqual({ code: 2, message: 'tool_failed' });
    expect(root?.events.map(({ name }) => name)).toContain('sortie.node.failed');
    expect(JSON.stringify(host.finished().map(({ attributes }) => attributes))).not.toContain('out of order');
  });
});
