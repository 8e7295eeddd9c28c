/*
 * Owns the spans of one trace while they are recorded, and the rules of their times: a span lasts at least a
 * microsecond, none outlasts its parent, and what never ended ends with the log and says so.
 */
import type { Failure } from '../contracts/failure.ts';
import { ATTRIBUTE } from './semconv.ts';
import { spanIdOf } from './span-ids.ts';
import type { AttributeValue, Span, SpanEvent, SpanLink, SpanStatus } from './span.ts';

const SHORTEST_MS = 0.001;
const MAX_EVENTS_PER_SPAN = 128;

/** A span that is being recorded. */
export interface SpanDraft {
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

interface SpanStart {
  readonly key: string;
  readonly parent: SpanDraft | null;
  readonly name: string;
  readonly kind: Span['kind'];
  readonly atMs: number;
  readonly attributes: Record<string, AttributeValue>;
  readonly links?: readonly SpanLink[];
}

/** Records the spans of one trace. */
export class SpanRecorder {
  readonly #runId: string;
  readonly #traceId: string;
  readonly #remoteParentId: string | undefined;
  readonly #captureContent: boolean;
  readonly #drafts: SpanDraft[] = [];
  readonly #open = new Set<SpanDraft>();
  readonly #usedIds = new Set<string>();

  constructor(runId: string, traceId: string, remoteParentId: string | undefined, captureContent: boolean) {
    this.#runId = runId;
    this.#traceId = traceId;
    this.#remoteParentId = remoteParentId;
    this.#captureContent = captureContent;
  }

  /** Starts a span; the id follows from the effect key, and stays unique where a key comes twice. */
  start({ key, parent, name, kind, atMs, attributes, links = [] }: SpanStart): SpanDraft {
    let spanId = spanIdOf(this.#runId, key);
    for (let again = 2; this.#usedIds.has(spanId); again++)
      spanId = spanIdOf(this.#runId, `${key}\n${again}`);
    this.#usedIds.add(spanId);
    const draft: SpanDraft = {
      ...{ spanId, parent, name, kind, attributes, links, events: [], droppedEvents: 0 },
      ...{
        startMs: atMs,
        endMs: null,
        leastEndMs: atMs + SHORTEST_MS,
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
    draft.endMs ??= atMs;
    draft.isUnfinished = false;
    if (failure !== undefined) this.fail(draft, failure);
  }

  /** Marks a span as failed. The message is content, as it may quote arguments. */
  fail(draft: SpanDraft, failure: Pick<Failure, 'code' | 'class' | 'message'>): void {
    draft.attributes[ATTRIBUTE.errorType] = failure.code;
    draft.attributes[ATTRIBUTE.failureClass] = failure.class;
    draft.status = { code: 'error', message: this.#captureContent ? failure.message : failure.code };
  }

  /** Ends every open span but `kept` as unfinished: the process that worked on them is gone. */
  loseOpen(atMs: number, kept: SpanDraft): void {
    for (const draft of this.#open) {
      if (draft === kept) continue;
      draft.endMs = atMs;
      draft.isUnfinished = true;
    }
    this.#open.clear();
    this.#open.add(kept);
  }

  /** Adds an event to a span, or counts it where the span has enough of them and it is a minor one. */
  addEvent(draft: SpanDraft, event: SpanEvent, isMinor: boolean): void {
    if (isMinor && draft.events.length >= MAX_EVENTS_PER_SPAN) draft.droppedEvents++;
    else draft.events.push(event);
  }

  /** A link to another span of this trace. */
  linkTo(draft: SpanDraft, kind: string): SpanLink {
    return { traceId: this.#traceId, spanId: draft.spanId, attributes: { [ATTRIBUTE.linkKind]: kind } };
  }

  /** The spans in the order of their starts; the last event of the log is at `lastMs`. */
  finish(lastMs: number): Span[] {
    for (const draft of this.#open) draft.isUnfinished = true;
    for (const draft of this.#drafts.toReversed()) settleEnd(draft, lastMs);
    return this.#drafts.map((draft) => this.#toSpan(draft, lastMs));
  }

  #toSpan(draft: SpanDraft, lastMs: number): Span {
    const parentSpanId = draft.parent?.spanId ?? this.#remoteParentId;
    return {
      traceId: this.#traceId,
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
  if (endMs > limitMs && endMs > leastEndMs) draft.attributes[ATTRIBUTE.outlastedParentMs] = endMs - limitMs;
  draft.endMs = Math.max(Math.min(endMs, limitMs), leastEndMs);
  if (parent !== null) parent.leastEndMs = Math.max(parent.leastEndMs, draft.endMs);
}
