import { describe, expect, it } from 'vitest';
import { spanIdOf } from '../../../src/tracer/span-ids.ts';
import { buildSpans, type SpanOptions } from '../../../src/tracer/spans.ts';
import { FlightBuilder } from '../../support/flight-builder.ts';
import { drawTree } from './draw-tree.ts';

const RUN_ID = '20261130-070000-000-aaaa';
const KNOWN = {
  text: 'Lima lies at the coast.',
  included: [{ tier: 'semantic' as const, id: 'fact-1', score: 0.8, from: { at: 1 } }],
  similarity: 'vectors' as const,
  model: 'minilm',
  warnings: [],
};

/** A recall before the plan, one of a tool's question, and one that takes too long. */
function remembering(): FlightBuilder {
  const recall = (builder: FlightBuilder, call: string, node?: string) =>
    builder.add('memory.requested', {
      ...{ key: `memory/${call}`, call, budgetChars: 500, timeoutMs: 100 },
      ...(node === undefined ? {} : { node }),
    });
  const builder = new FlightBuilder().start();
  recall(builder, 'plan/1')
    .wait(5)
    .add('memory.recalled', { key: 'memory/plan/1', ...KNOWN });
  builder.call('plan/1', 'planner').plan([{ id: 'report', tool: 'write' }], 'report', { key: 'plan/1' });
  builder.nodeStart('report').ask('report', 1, 1, 'writer');
  recall(builder, 'report/1/1', 'report')
    .wait(100)
    .add('memory.recalled', {
      ...{ key: 'memory/report/1/1', text: '', included: [], warnings: [], timedOut: true },
    });
  return builder.call('report/1/1', 'writer', { node: 'report' }).nodeDone('report', 'Lima');
}

function recallOf(call: string, options: SpanOptions = {}) {
  const id = spanIdOf(RUN_ID, `memory/${call}`);
  return buildSpans(remembering().build(), options).find(({ spanId }) => spanId === id);
}

describe('what is recalled before a model call', () => {
  it('is a span beside the call, below what the call is made for', () => {
    expect(drawTree(buildSpans(remembering().build()))).toEqual([
      'invoke_agent city-compare 0–125 (unfinished)',
      '  plan city-compare 0–15',
      '    search_memory 0–5',
      '    chat mock-1 5–15',
      '  execute_tool write 15–125',
      '    search_memory 15–115 ! timeout',
      '    chat mock-1 115–125',
    ]);
  });

  it('says how many memories were found and by what, and what they say only when it is captured', () => {
    const attributes = {
      'gen_ai.operation.name': 'search_memory',
      'gen_ai.memory.record.count': 1,
      'sortie.effect.key': 'memory/plan/1',
      'sortie.memory.call': 'plan/1',
      'sortie.memory.similarity': 'vectors',
      'sortie.memory.model': 'minilm',
    };
    expect(recallOf('plan/1')?.attributes).toEqual(attributes);
    expect(recallOf('plan/1', { captureContent: true })?.attributes).toEqual({
      ...attributes,
      'sortie.memory.context': 'Lima lies at the coast.',
    });
  });

  it('is lost with its process where that died', () => {
    const builder = new FlightBuilder().start();
    builder.add('memory.requested', {
      key: 'memory/plan/1',
      call: 'plan/1',
      budgetChars: 500,
      timeoutMs: 100,
    });
    builder.wait(10).add('run.resumed', { rules: 1 }).wait(1);
    builder.add('memory.recalled', { key: 'memory/plan/1', ...KNOWN });
    const recall = buildSpans(builder.build()).find(({ name }) => name === 'search_memory');
    expect(recall?.attributes['sortie.span.unfinished']).toBe(true);
    expect(recall?.attributes).not.toHaveProperty('gen_ai.memory.record.count');
  });
});
