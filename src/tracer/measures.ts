import { type Amounts, DIMENSION_OF_AMOUNT } from '../budget/ledger.ts';
import type { FlightEvent } from '../flight/events.ts';
import { evolve, foldEvents } from '../run/evolve.ts';
import type { RunState } from '../run/state.ts';
import { ATTRIBUTE, type InstrumentName, OPERATION, SEMCONV_VALUE } from './semconv.ts';
import { buildSpans } from './spans.ts';
import type { Attributes, Span } from './span.ts';

/** One figure that was measured. */
export interface Measurement {
  readonly instrument: InstrumentName;
  readonly value: number;
  readonly attributes: Attributes;
}

const MS_PER_SECOND = 1000;
/** Log lengths of tokens come without their kind. */
const UNKNOWN_MODALITY = { [ATTRIBUTE.tokenModality]: SEMCONV_VALUE.modalityUnknown };

/** What the last process of a run measured: what it did before is measured already. */
export function measureRun(events: readonly FlightEvent[]): Measurement[] {
  const [started] = events;
  if (started?.type !== 'run.started') return [];
  const spans = buildSpans(events, { isLastSegmentOnly: true });
  return [...spans.flatMap(measureSpan), ...countCalls(spans), ...measureState(events, started.task.name)];
}

function measureSpan(span: Span): Measurement[] {
  // What was lost has no end, so nobody knows how long it took.
  if (span.attributes[ATTRIBUTE.unfinished] === true) return [];
  const value = (span.endMs - span.startMs) / MS_PER_SECOND;
  const operation = span.attributes[ATTRIBUTE.operationName];
  if (operation === OPERATION.chat) {
    const attributes = inferenceOf(span, true);
    return [{ instrument: 'inferenceDuration', value, attributes }, ...tokensOf(span)];
  }
  if (operation === OPERATION.executeTool) {
    const attributes = pick(span, ['toolName', 'toolType', 'agentName', 'errorType']);
    return [{ instrument: 'toolDuration', value, attributes }];
  }
  if (operation !== OPERATION.invokeAgent) return [];
  return [{ instrument: 'agentDuration', value, attributes: pick(span, ['agentName', 'errorType']) }];
}

function inferenceOf(span: Span, withError: boolean): Attributes {
  const keys = ['operationName', 'providerName', 'requestModel', 'responseModel'] as const;
  return pick(span, withError ? [...keys, 'errorType'] : keys);
}

/** A call that failed used nothing, as far as anybody said: it counts with 0. */
function tokensOf(span: Span): Measurement[] {
  const read = (key: keyof typeof ATTRIBUTE): number => Number(span.attributes[ATTRIBUTE[key]] ?? 0);
  const used = { ...inferenceOf(span, false), ...UNKNOWN_MODALITY };
  const perCall = inferenceOf(span, true);
  return [
    { instrument: 'inputTokens', value: read('usageInputTokens'), attributes: used },
    { instrument: 'outputTokens', value: read('usageOutputTokens'), attributes: used },
    { instrument: 'cacheReadTokens', value: read('usageCacheReadTokens'), attributes: used },
    { instrument: 'cacheWriteTokens', value: read('usageCacheWriteTokens'), attributes: used },
    { instrument: 'reasoningTokens', value: read('usageReasoningTokens'), attributes: used },
    { instrument: 'inputTokensPerCall', value: read('usageInputTokens'), attributes: perCall },
    { instrument: 'outputTokensPerCall', value: read('usageOutputTokens'), attributes: perCall },
  ];
}

/** Calls of each agent, each call counted for the nearest agent above it. */
function countCalls(spans: readonly Span[]): Measurement[] {
  const agentOf = new Map<string, Span>();
  const counts = new Map<Span, { inference: number; tools: number }>();
  for (const span of spans) {
    const above = agentOf.get(span.parentSpanId ?? '');
    const operation = span.attributes[ATTRIBUTE.operationName];
    if (operation === OPERATION.invokeAgent) counts.set(span, { inference: 0, tools: 0 });
    const agent = operation === OPERATION.invokeAgent ? span : above;
    if (agent !== undefined) agentOf.set(span.spanId, agent);
    const count = above === undefined ? undefined : counts.get(above);
    if (count === undefined) continue;
    if (operation === OPERATION.chat) count.inference += 1;
    else if (operation === OPERATION.executeTool) count.tools += 1;
  }
  return [...counts].flatMap(([agent, { inference, tools }]): Measurement[] => {
    const attributes = pick(agent, ['agentName']);
    return [
      { instrument: 'agentInferenceCalls', value: inference, attributes },
      { instrument: 'agentToolCalls', value: tools, attributes },
    ];
  });
}

function measureState(events: readonly FlightEvent[], agent: string): Measurement[] {
  const begin = events.findLastIndex(({ type }) => type === 'run.resumed' || type === 'run.forked');
  const state = foldEvents(events.slice(0, Math.max(1, begin)));
  const before = new Map([...state.nodes].map(([id, { status }]) => [id, status]));
  for (const event of events.slice(Math.max(1, begin))) evolve(state, event);
  const counts = new Map<string, number>();
  for (const [id, { status }] of state.nodes) {
    if (before.get(id) !== status) counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const nodes = [...counts].map(([status, value]): Measurement => {
    const attributes = { [ATTRIBUTE.agentName]: agent, [ATTRIBUTE.nodeState]: status };
    return { instrument: 'nodes', value, attributes };
  });
  return [...nodes, ...pressures(state, agent)];
}

function pressures({ ledger }: RunState, agent: string): Measurement[] {
  const amounts = Object.keys(DIMENSION_OF_AMOUNT) as (keyof Amounts)[];
  return amounts.flatMap((amount): Measurement[] => {
    const limit = ledger.limits[amount];
    if (limit === Infinity) return [];
    const value = limit === 0 ? 1 : ledger.settled[amount] / limit;
    const dimension = DIMENSION_OF_AMOUNT[amount];
    const attributes = { [ATTRIBUTE.agentName]: agent, [ATTRIBUTE.budgetDimension]: dimension };
    return [{ instrument: 'pressure', value, attributes }];
  });
}

function pick(span: Span, keys: readonly (keyof typeof ATTRIBUTE)[]): Attributes {
  const names = keys.map((key) => ATTRIBUTE[key]);
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = span.attributes[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
