import type { FlightEvent } from '../flight/events.ts';
import { ATTRIBUTE, SEMCONV_VALUE, SPAN_EVENT } from './semconv.ts';
import { spanIdOf, traceIdOf } from './span-ids.ts';
import { onGrid } from './span-time.ts';
import { buildSpans } from './spans.ts';
import type { AttributeValue, Span } from './span.ts';

/** What a replay found. */
interface ReplayFindings {
  readonly events: number;
  readonly warnings: readonly string[];
  readonly divergence: { readonly seq: number; readonly type: string; readonly field: string } | null;
}

/** When a replay was made, in epoch milliseconds with fractions. */
export interface ReplayTimes {
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * The span of a replay, linked to the run that was replayed. Nothing stands below it: nothing was called again, and
 * whoever counts calls and tokens counts those of the run alone. None for a log without `run.started`.
 */
export function buildReplaySpan(
  events: readonly FlightEvent[],
  { events: count, warnings, divergence }: ReplayFindings,
  { startMs, endMs }: ReplayTimes,
): Span[] {
  const [origin] = buildSpans(events, { isLastSegmentOnly: true });
  if (origin === undefined) return [];
  const id = `${origin.spanId}\nreplayed at ${startMs}`;
  const attributes: Record<string, AttributeValue> = {
    [ATTRIBUTE.replay]: true,
    [ATTRIBUTE.replayEvents]: count,
    [ATTRIBUTE.replayWarnings]: warnings.length,
  };
  for (const key of [ATTRIBUTE.runId, ATTRIBUTE.agentName, ATTRIBUTE.conversationId]) {
    const value = origin.attributes[key];
    if (value !== undefined) attributes[key] = value;
  }
  const start = onGrid(startMs);
  return [
    {
      ...{ traceId: traceIdOf(id), spanId: spanIdOf(id, 'replay'), kind: 'internal', attributes },
      name: `replay ${String(origin.attributes[ATTRIBUTE.agentName] ?? '')}`.trim(),
      ...{ startMs: start, endMs: Math.max(onGrid(endMs), onGrid(start + 0.001)), droppedEvents: 0 },
      links: [
        {
          ...{ traceId: origin.traceId, spanId: origin.spanId },
          attributes: { [ATTRIBUTE.linkKind]: SEMCONV_VALUE.linkReplayOf },
        },
      ],
      ...(divergence === null
        ? { events: [], status: { code: 'unset' } }
        : divergedAt(divergence, attributes, onGrid(endMs))),
    },
  ];
}

function divergedAt(
  { seq, type, field }: NonNullable<ReplayFindings['divergence']>,
  attributes: Record<string, AttributeValue>,
  atMs: number,
): Pick<Span, 'events' | 'status'> {
  attributes[ATTRIBUTE.errorType] = 'replay_diverged';
  const where = {
    [ATTRIBUTE.replaySeq]: seq,
    [ATTRIBUTE.replayEventType]: type,
    [ATTRIBUTE.replayField]: field,
  };
  return {
    events: [{ name: SPAN_EVENT.replayDiverged, atMs, attributes: where }],
    status: { code: 'error', message: 'replay_diverged' },
  };
}
