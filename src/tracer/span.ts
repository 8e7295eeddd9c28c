/** A value that a span can carry. */
export type AttributeValue = string | number | boolean | readonly string[];

/** Attributes by name. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/** Something that happened at one moment of a span. */
export interface SpanEvent {
  readonly name: string;
  /** Epoch milliseconds with fractions. */
  readonly atMs: number;
  readonly attributes: Attributes;
}

/** Another span that one refers to. */
export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

/** How a span ended; `unset` is the conventional value where nothing went wrong. */
export type SpanStatus = { readonly code: 'unset' } | { readonly code: 'error'; readonly message: string };

/** One span of a trace: a period of a run. Spans form a tree by `parentSpanId`. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Epoch milliseconds with fractions. */
  readonly startMs: number;
  /** Epoch milliseconds with fractions; always after `startMs`. */
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** How many events were left off to keep the span small. */
  readonly droppedEvents: number;
  readonly status: SpanStatus;
  readonly links: readonly SpanLink[];
}
