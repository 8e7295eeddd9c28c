/*
 * Owns the spans of a run while they are recorded, and the rules of their times: they are whole microseconds, a span
 * lasts at least one, none outlasts its parent, and what never ended ends with the log and says so.
 */
import type { Failure } from '../contracts/failure.ts';
import { ATTRIBUTE } from './semconv.ts';
import { spanIdOf } from './span-ids.ts';
import type { TraceSegment } from './span-segment.ts';
import { onGrid } from './span-time.ts';
import type { AttributeValue, Span, SpanEvent, SpanLink, SpanStatus } from './span.ts';

const SHORTEST_MS = 0.001;
const MAX_EVENTS_PER_SPAN = 128;

/** A span that is being recorded. */
export interface SpanDraft {
  readonly segment: TraceSegment;
  readonly spanId: string;
  readonly parent: SpanDraft | null;
  readonly name: string;
  readonly kind: Span['kind'];
  readonly startMs: number;
  readonly attributes: Record<string, AttributeValue>;
  readonly links: readonly SpanLink[];
  readonly events: SpanEvent[];
  droppedEvents: number;
  endMs: number | null;
  /** The earliest end that leaves room for itself and its children. */
  leastEndMs: number;
  isUnfinished: boolean;
  status: SpanStatus;
}

/** A span as it was recorded, and the segment that it belongs to. */
export interface RecordedSpan {
  readonly segment: TraceSegment;
  readonly span: Span;
}

interface SpanStart {
  readonly key: string;
  readonly parent: SpanDraft | null;
  readonly name: string;
  readonly kind: Span['kind'];
  readonly atMs: number;
  readonly attributes: Record<string, AttributeValue>;
  readonly links?: readonly SpanLink[];
}

/** Records the spans of a run, segment by segment. */
export class SpanRecorder {
  #segment: TraceSegment;
  readonly #captureContent: boolean;
  readonly #drafts: SpanDraft[] = [];
  readonly #open = new Set<SpanDraft>();
  readonly #usedIds = new Set<string>();

  constructor(segment: TraceSegment, captureContent: boolean) {
    this.#segment = segment;
    this.#captureContent = captureContent;
  }

  /** Lets what starts from now on belong to another segment. */
  enter(segment: TraceSegment): void {
    this.#segment = segment;
    this.#usedIds.clear();
  }

  /** Starts a span; the id follows from the effect key, and stays unique where a key comes twice. */
  start({ key, parent, name, kind, atMs, attributes, links = [] }: SpanStart): SpanDraft {
    const segment = this.#segment;
    let spanId = spanIdOf(segment.id, key);
    for (let again = 2; this.#usedIds.has(spanId); again++) spanId = spanIdOf(segment.id, `${key}\n${again}`);
    this.#usedIds.add(spanId);
    const startMs = onGrid(atMs);
    const draft: SpanDraft = {
      ...{ segment, spanId, parent, name, kind, attributes, links, events: [], droppedEvents: 0 },
      ...{
        startMs,
        endMs: null,
        leastEndMs: onGrid(startMs + SHORTEST_MS),
        isUnfinished: false,
        status: { code: 'unset' },
      },
    };
    this.#drafts.push(draft);
    this.#open.add(draft);
    return draft;
  }

  /** Ends a span, at its failure where there is one. A lost span keeps the time at which it was lost. */
  end(draft: SpanDraft, atMs: number, failure?: Failure): void {
    this.#open.delete(draft);
    draft.endMs ??= onGrid(atMs);
    draft.isUnfinished = false;
    if (failure !== undefined) this.fail(draft, failure);
  }

  /** Takes a span back, without children: what it stands for was not done. Its id is free for what is. */
  withdraw(draft: SpanDraft): void {
    this.#open.delete(draft);
    this.#usedIds.delete(draft.spanId);
    const index = this.#drafts.lastIndexOf(draft);
    if (index >= 0) this.#drafts.splice(index, 1);
  }

  /** Marks a span as failed. The message is content, as it may quote arguments. */
  fail(draft: SpanDraft, failure: Pick<Failure, 'code' | 'class' | 'message'>): void {
    draft.attributes[ATTRIBUTE.errorType] = failure.code;
    draft.attributes[ATTRIBUTE.failureClass] = failure.class;
    draft.status = { code: 'error', message: this.#captureContent ? failure.message : failure.code };
  }

  /** Ends every open span but `kept` as unfinished: the process that worked on them is gone. */
  loseOpen(atMs: number, kept: SpanDraft | null): void {
    for (const draft of this.#open) {
      if (draft === kept) continue;
      draft.endMs = onGrid(atMs);
      draft.isUnfinished = true;
    }
    this.#open.clear();
    if (kept !== null) this.#open.add(kept);
  }

  /** Adds an event to a span, or counts it where the span has enough of them and it is a minor one. */
  addEvent(draft: SpanDraft, event: SpanEvent, isMinor: boolean): void {
    if (isMinor && draft.events.length >= MAX_EVENTS_PER_SPAN) draft.droppedEvents++;
    else draft.events.push({ ...event, atMs: onGrid(event.atMs) });
  }

  /** A link to another span of the run. */
  linkTo({ segment, spanId }: SpanDraft, kind: string): SpanLink {
    return { traceId: segment.traceId, spanId, attributes: { [ATTRIBUTE.linkKind]: kind } };
  }

  /** The spans in the order of their starts; the last event of the log is at `lastMs`. */
  finish(lastMs: number): RecordedSpan[] {
    for (const draft of this.#open) draft.isUnfinished = true;
    const endMs = onGrid(lastMs);
    for (const draft of this.#drafts.toReversed()) settleEnd(draft, endMs);
    return this.#drafts.map((draft) => ({ segment: draft.segment, span: this.#toSpan(draft, endMs) }));
  }

  #toSpan(draft: SpanDraft, lastMs: number): Span {
    const parentSpanId = draft.parent?.spanId ?? draft.segment.parentSpanId;
    return {
      traceId: draft.segment.traceId,
      spanId: draft.spanId,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      name: draft.name,
      kind: draft.kind,
      startMs: draft.startMs,
      endMs: draft.endMs ?? lastMs,
      attributes: draft.isUnfinished
        ? { ...draft.attributes, [ATTRIBUTE.unfinished]: true }
        : draft.attributes,
      events: draft.events,
      droppedEvents: draft.droppedEvents,
      status: draft.status,
      links: draft.links,
    };
  }
}

/** Children start after their parents, so that walking backwards each end is final before its parent's is settled. */
function settleEnd(draft: SpanDraft, lastMs: number): void {
  const { parent, leastEndMs } = draft;
  const endMs = draft.endMs ?? lastMs;
  const limitMs = parent === null ? endMs : (parent.endMs ?? lastMs);
  if (endMs > limitMs && endMs > leastEndMs)
    draft.attributes[ATTRIBUTE.outlastedParentMs] = onGrid(endMs - limitMs);
  draft.endMs = Math.max(Math.min(endMs, limitMs), leastEndMs);
  if (parent !== null) parent.leastEndMs = Math.max(parent.leastEndMs, draft.endMs);
}
