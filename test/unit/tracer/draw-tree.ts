import type { Span } from '../../../src/tracer/span.ts';
import { LOG_START_MS } from '../../support/flight-builder.ts';

/** Spans as an indented text, one a line: name, start and end since the log began, and what went wrong. */
export function drawTree(spans: readonly Span[]): string[] {
  const children = new Map<string | undefined, Span[]>();
  const known = new Set(spans.map((span) => span.spanId));
  for (const span of spans) {
    const parent = known.has(span.parentSpanId ?? '') ? span.parentSpanId : undefined;
    children.set(parent, [...(children.get(parent) ?? []), span]);
  }
  const draw = (parent: string | undefined, depth: number): string[] =>
    (children.get(parent) ?? []).flatMap((span) => [
      '  '.repeat(depth) + describe(span),
      ...draw(span.spanId, depth + 1),
    ]);
  return draw(undefined, 0);
}

function describe(span: Span): string {
  const from = span.startMs - LOG_START_MS;
  const to = span.endMs - LOG_START_MS;
  const error = span.status.code === 'error' ? ` ! ${String(span.attributes['error.type'])}` : '';
  const unfinished = span.attributes['sortie.span.unfinished'] === true ? ' (unfinished)' : '';
  return `${span.name} ${round(from)}–${round(to)}${error}${unfinished}`;
}

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
